"""Forms of the editor: the input of one gesture each."""
