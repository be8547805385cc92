"""The Lie algebra spanned by generators: brackets, structure constants, closure, names."""
