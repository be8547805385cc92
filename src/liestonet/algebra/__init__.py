"""The Lie algebra that generators span: brackets, structure constants and how well they close."""
