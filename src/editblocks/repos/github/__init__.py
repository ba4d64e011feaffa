"""Read and write git objects and refs through GitHub's API."""
