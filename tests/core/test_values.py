"""Values that everybody shares."""

import importlib
import pkgutil

import editblocks


def test_no_default_of_a_value_can_be_changed() -> None:
    """It is one object for all values of the class: who changed it would change them all."""
    names = [name for _, name, _ in pkgutil.walk_packages(editblocks.__path__, "editblocks.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    classes = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    defaults = {each: getattr(each, "_field_defaults", {}) for each in classes if issubclass(each, tuple)}
    assert len(defaults) > 50
    changed = {
        f"{each.__name__}.{name}"
        for each, fields in defaults.items()
        for name in fields
        if isinstance(fields[name], (dict, list, set))
    }
    assert changed == set()
