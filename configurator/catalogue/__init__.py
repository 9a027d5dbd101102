"""What can be bought and run: typed records read from resources/catalogue, each with source and date."""

from configurator.catalogue.files import resource_folder, user_catalogue_file, user_data_folder
from configurator.catalogue.load import Catalogue, load_catalogue
from configurator.catalogue.names import (
    GpuMatch,
    ModelMatch,
    find_gpu,
    find_link,
    find_model,
    find_server,
    find_weight_format,
    match_gpu,
)
from configurator.catalogue.problems import CatalogueProblem, UnknownName, UnknownNameError

__all__ = [
    "Catalogue",
    "CatalogueProblem",
    "GpuMatch",
    "ModelMatch",
    "UnknownName",
    "UnknownNameError",
    "find_gpu",
    "find_link",
    "find_model",
    "find_server",
    "find_weight_format",
    "load_catalogue",
    "match_gpu",
    "resource_folder",
    "user_catalogue_file",
    "user_data_folder",
]
