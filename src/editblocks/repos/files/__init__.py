"""Files and folders of a working tree. They are read and replaced without following links."""
