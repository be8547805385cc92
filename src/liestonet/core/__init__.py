"""What all packages share: boxes, points, flags, files, processes; coefficients and generators as protocols."""
