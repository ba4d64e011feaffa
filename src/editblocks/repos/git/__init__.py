"""Git: the wrapper of its process, and objects, trees and commits read and written with it."""
