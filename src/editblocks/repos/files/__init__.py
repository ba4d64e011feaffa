"""Files and folders of a working tree, read and replaced without following a link."""
