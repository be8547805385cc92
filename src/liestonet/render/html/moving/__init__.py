"""What the scripts of the page compute with: numbers in one JSON text, which no script element can end."""
