"""Refusals and faults: what cannot be done, where, and how to mend it."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
    "edit.bad_value.most": Text("{found} is too much here: at most {limit}."),
    "edit.bad_value.below": Text("{found} is too much here: it must be below {limit}."),
    "edit.bad_value.least": Text("{found} is too little here: at least {limit}."),
    "edit.bad_value.above": Text("{found} is too little here: it must be above {limit}."),
    "edit.bad_value.empty": Text("This cannot be empty ({place}). Type something."),
    "edit.bad_value.missing": Text("A value is missing ({place}). Enter one."),
    "edit.bad_value.unknown": Text("This program does not know “{place}”."),
    "edit.bad_value.choice": Text("“{found}” is not one of the choices: {choices}."),
    "edit.bad_value.number": Text("“{found}” is not a number that can be used here. Enter another one."),
    "edit.bad_value.other": Text("“{found}” cannot be used for {place}. Enter another value."),
    "edit.blank_name": Text("A name cannot be empty. Type one."),
    "edit.no_name": Text("This object has no name of its own."),
    "edit.no_object": Text("{object_id} is not in this plan any more."),
    "edit.no_site": Text("The place {object_id} is not in this plan. Add it first."),
    "edit.last_plan": Text("The last plan of a project cannot be removed. Duplicate it first."),
    "edit.mixed_cards": Text("Move cards of one kind at a time; these are {gpus}."),
    "edit.unknown_chassis": Text("The catalogue has no server called {server}. Choose one from the list."),
    "edit.paste_where": Text("Choose the place or server to paste into."),
    "link.exists": Text("{a_id} and {b_id} are already connected. Change that connection instead."),
    "link.inside_own_site": Text("{a_id} stands at {b_id} already; connect it to another server or a switch."),
    "link.no_end": Text("A connection joins servers, network switches and places; {object_id} is none of them."),
    "link.to_itself": Text("{object_id} cannot be connected to itself. Choose another end."),
    "place.unknown_gpu": Text("The catalogue has no card called {gpu}. Choose one from the list."),
    "place.no_target": Text("{target_id} is not in this plan any more."),
    "place.not_a_place": Text("Drop a card on a server or into a slot, and a server on a place."),
    "place.slot_taken": Text("{slot} already holds a {gpu}. Choose a free slot."),
    "place.no_slots": Text("{server_id} has no slots for cards. Choose another server."),
    "place.no_free_slot": Text("{used} of {slots} slots are taken: no room for {wanted} more."),
    "place.site_without_server": Text("There is no server at {site_id} yet. Add a server, then the cards."),
    "place.board_accepts": Text("The board of {server_id} takes only {accepted}, not a {gpu}."),
    "place.wrong_form": Text("A {gpu} does not go into {slot}: the forms differ."),
    "place.module_needs_board": Text(
        "A {gpu} is a module for a board of its own kind, and {server_id} has no such board. "
        "Choose a server that has one.",
        "{gpu} is a module; {server_id} has no board for it. Choose a server with the baseboard.",
    ),
    "place.board_takes_modules": Text(
        "The places of {server_id} take modules only. A {gpu} needs a PCIe slot.",
        "{server_id} takes modules; {gpu} needs a PCIe slot.",
    ),
    "place.too_wide": Text("A {gpu} is {wide_slots} slots wide; {slot} has room for {room_slots}."),
    "place.too_long": Text("A {gpu} is {length_mm} mm long; {server_id} has room for {room_mm} mm."),
    "place.too_many": Text("{server_id} takes {max_gpus} at most; this would make {gpus}."),
    "place.power": Text(
        "The cards of {server_id} would draw {drawn_w}; it can feed and cool {limit_w}. Cap their power."
    ),
    "plan.dangling_link": Text("Connection {link_id} ends at {object_id}, which is not in the plan. Remove it."),
    "plan.duplicate_id": Text("The id {object_id} is used twice. Give one of them another."),
    "plan.link_to_itself": Text("Connection {link_id} joins something with itself. Remove it."),
    "plan.no_active_plan": Text("The project points at the plan {object_id}, which it does not hold."),
    "plan.unknown_reference": Text("{subject_id} points at {object_id}, which is not in the plan."),
    "store.backup_is_good": Text("An earlier copy is good: open {file}."),
    "store.bad_value.most": Text("In {file}, {place} is {found}: at most {limit} is allowed."),
    "store.bad_value.below": Text("In {file}, {place} is {found}: it must be below {limit}."),
    "store.bad_value.least": Text("In {file}, {place} is {found}: at least {limit} is needed."),
    "store.bad_value.above": Text("In {file}, {place} is {found}: it must be above {limit}."),
    "store.bad_value.empty": Text("In {file}, {place} is empty."),
    "store.bad_value.missing": Text("In {file}, {place} is missing."),
    "store.bad_value.unknown": Text("In {file}, {place} is nothing this program knows. Remove it."),
    "store.bad_value.choice": Text("In {file}, {place} is “{found}”, not one of: {choices}."),
    "store.bad_value.number": Text("In {file}, {place} is “{found}”, which is no number that can be used there."),
    "store.bad_value.other": Text("In {file}, {place} is “{found}”, which does not belong there."),
    "store.more_faults": Text("There are {count} more faults of this kind."),
    "store.newer": Text(
        "The file {file} was saved by a newer version of the program (format {found}; this one knows {known}). Update"
        " the program."
    ),
    "store.no_format": Text("The file {file} does not say its format number. Open it with the program that wrote it."),
    "store.not_json": Text("The file {file} is damaged at line {line}, column {column}. Use its backup."),
    "store.not_ours": Text("The file {file} is not a project of this program."),
    "store.not_text": Text("The file {file} is not readable text (at byte {offset}). Use its backup."),
    "store.too_large": Text("The file {file} has {size_bytes}; projects are at most {limit_bytes}."),
    "store.unreadable": Text("{file} cannot be read: {reason}."),
    "store.unwritable": Text("{file} cannot be written: {reason}. Choose another folder; nothing is lost."),
    "catalogue.bad_row": Text("In {file}, {record}, {field}: {mend}"),
    "catalogue.own.broken": Text(
        "Your own catalogue {file} is not understood, so nothing was written into it. Mend it or move it away, then"
        " drop the model file again."
    ),
    "catalogue.own.full": Text("Your own catalogue {file} is too large. Keep only your own records in it."),
    "catalogue.own.unwritable": Text("Your own catalogue {file} cannot be written: {reason}"),
    "catalogue.unknown_name": Text("The catalogue has no {kind} called “{name}”. Did you mean {nearest}?"),
}
