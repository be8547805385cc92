"""What every room shares: boxes, points, flags, files, processes; coefficients and generators as protocols."""
