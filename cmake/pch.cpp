// Holds the precompiled headers that every target of the tree shares.
