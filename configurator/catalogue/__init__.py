"""What can be bought and run: typed records read from resources/catalogue, each with source and date."""

from configurator.catalogue.files import resource_folder, user_catalogue_file, user_data_folder
from configurator.catalogue.load import Catalogue, load_catalogue
from configurator.catalogue.problems import CatalogueProblem, UnknownName

__all__ = [
    "Catalogue",
    "CatalogueProblem",
    "UnknownName",
    "load_catalogue",
    "resource_folder",
    "user_catalogue_file",
    "user_data_folder",
]
