"""From a surrogate to its symmetries: the stages of a search, refits with symmetries imposed, held-out likelihood."""
