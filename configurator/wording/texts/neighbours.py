"""Alternatives, switch points, and questions with their answers."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
    "alternative.eight_bits": Text("The same model in 8 bits"),
    "alternative.four_bits": Text("The same model in 4 bits"),
    "alternative.small_optimizer": Text("Optimiser in 8 bits", "8-bit AdamW, pure BF16"),
    "change.small_optimizer": Text(
        "About 6 bytes of state per parameter instead of 18; check that the training still learns as well.",
        "2 + 2 + 2 bytes per parameter instead of 18; validate convergence.",
    ),
    "alternative.small_cache": Text("Conversations kept in 8 bits", "FP8 KV cache"),
    "alternative.qlora": Text("Adapters on compressed weights", "QLoRA"),
    "alternative.fewer_cards": Text("Only the cards that are used"),
    "alternative.one_more_card": Text("One more card"),
    "alternative.full_server": Text("The server filled with cards"),
    "alternative.second_server": Text("A second server like the first"),
    "alternative.one_box": Text("All cards in one server"),
    "alternative.one_place": Text("All cards in one server at one place"),
    "alternative.smaller_model": Text("A smaller model: {model}"),
    "alternative.copies": Text("Independent copies", "DP replicas"),
    "alternative.one_split": Text("One model split over the server", "One wide TP instance"),
    "alternative.inside_across": Text(
        "One model: split inside each server, chained between them", "TP inside, PP across"
    ),
    "alternative.fabric": Text("Another connection: {link}"),
    "alternative.power_cap": Text("The cards with a power limit"),
    "alternative.buy_node": Text("One new server with {buy_cards} of {gpu}"),
    "alternative.card": Text("Other cards: {gpu}"),
    "alternative.rent": Text("Rent {cards} of {gpu} by the hour"),
    "alternative.api": Text("Buy the answers of {model} by the token"),
    "alternative.domain": Text(
        "One copy needs {gpus} on {servers}; {copies}, so that {left_share} is left when one fails.",
        "Instance = {gpus} on {servers}; {copies}: {left_share} left after one failure.",
    ),
    "alternative.domain_one": Text("One copy on {gpus}, {servers}: if one of them stops, everything stops."),
    "alternative.domain_provider": Text("The provider and your internet line."),
    "change.weights": Text("Weights in {weights}: {weights_bytes}."),
    "change.cache": Text("The cache takes half the memory, with hardly any loss."),
    "change.task_qlora": Text("Only small adapters are trained; the base stays in 4 bits."),
    "change.fewer_cards": Text("{cards} fewer."),
    "change.more_cards": Text("{cards} of {gpu} more."),
    "change.full_server": Text("Every free slot gets a {gpu}."),
    "change.second_server": Text("One more server with {cards} of {gpu}, on 10 GbE."),
    "change.one_box": Text("{cards} of {servers} move into one {server}."),
    "change.smaller_model": Text("{model} takes the place of the model that does not fit."),
    "change.copies": Text("{copies} on {gpus} each, one address in front."),
    "change.one_split": Text("One model over {gpus}."),
    "change.inside_across": Text("Split over {gpus} in each of {servers}."),
    "change.fabric": Text("The servers are joined by {link}."),
    "change.power_cap": Text("{cards} limited to {cap_w}."),
    "change.buy_node": Text("{buy_cards} of {gpu} in one {server} instead of what is there."),
    "change.card": Text("{cards} become {gpu}."),
    "change.rent": Text("{usd_per_hour} USD per card and hour ({as_of}); data leaves the house."),
    "change.api": Text(
        "{input_usd} per million tokens read and {output_usd} per million written ({as_of}); data leaves the house.",
    ),
    "question.one_chassis": Text(
        "Do the {cards} of {object_id} sit in one case? In which slots, with how many lanes?",
        "{object_id}: one chassis? Slots and lanes of the {cards}?",
    ),
    "question.slots": Text(
        "How wide are the slots of the cards in {object_id}?", "Negotiated PCIe width and generation in {object_id}?"
    ),
    "question.p2p": Text("Can the cards in {object_id} talk to each other directly?", "P2P in {object_id}?"),
    "question.link": Text("How fast is {object_id}?"),
    "question.connection": Text("Are the {servers} connected, and how?"),
    "question.model": Text("Which model should run?"),
    "question.power": Text(
        "How much power may {object_id} draw? At full load the machines there take {peak_w}.",
        "Power limit of {object_id}? Peak {peak_w}.",
    ),
    "answer.power_circuit": Text("{limit_w}: one usual circuit"),
    "answer.power_enough": Text("{limit_w} or more"),
    "question.goal": Text("One fast answer, or many answers at the same time?"),
    "question.users": Text("How many people wait for an answer at the same moment?"),
    "question.context": Text("How long is a usual conversation, in tokens?"),
    "answer.one_chassis": Text("All in one case."),
    "answer.machines": Text("{cards} in as many machines."),
    "answer.lanes": Text("PCIe 4.0 x{lanes}."),
    "answer.p2p_yes": Text("They can."),
    "answer.p2p_no": Text("They cannot."),
    "answer.link": Text("By {link}."),
    "answer.model": Text("{model}."),
    "answer.one_fast": Text("One fast answer."),
    "answer.many": Text("Many answers."),
    "answer.users": Text("{users}."),
    "answer.context": Text("{context_tokens}."),
    "switch.users.up": Text("Up to {users} at once: {from_code}. Above: {to_code}."),
    "switch.users.relaid": Text(
        "With another layout, which leaves more room for conversations, up to {users} at once: {from_code}. Above:"
        " {to_code}."
    ),
    "switch.users.load": Text("The answer stays the same up to {users} at once; above, the load is no longer carried."),
    "switch.context.load": Text(
        "The answer stays the same up to {context_tokens} per request; above, the load is no longer carried."
    ),
    "state.slow": Text("fits, but answers too slowly for a chat"),
    "state.quick": Text("fits and answers fast enough"),
    "state.power": Text("more power than the supply gives"),
    "state.supplied": Text("fits and the supply holds"),
    "state.context": Text("one request of this length does not fit"),
    "state.starts": Text("starts, but does not carry the asked load"),
    "state.no_reserve": Text("fits, but without reserve"),
    "state.tight": Text("fits, with little to spare for a peak"),
    "switch.users.down": Text("From {users} at once downwards: {to_code} instead of {from_code}."),
    "switch.context.up": Text("Up to {context_tokens} per request: {from_code}. Above: {to_code}."),
    "switch.context.down": Text("At {context_tokens} per request and less: {to_code} instead of {from_code}."),
    "switch.model.up": Text(
        "One server holds models of up to {limit_bytes} of weights with reserve; this one has {weights_bytes}."
    ),
    "switch.model.tight": Text(
        "A model of at most {limit_bytes} of weights would leave the reserve on one server; this one has"
        " {weights_bytes}."
    ),
    "switch.model.down": Text(
        "A model of at most {limit_bytes} of weights would fit one server; this one has {weights_bytes}."
    ),
    "switch.fabric.training": Text(
        "From {fabric_bytes_per_s} between the servers the training keeps {floor_share} of its speed."
    ),
    "switch.fabric.up": Text("From {fabric_bytes_per_s} between the servers one model over both becomes usable."),
    "switch.fabric.chain": Text(
        "Under {fabric_bytes_per_s} between the servers starts and long prompts of a chain take too long; while"
        " answering it needs far less."
    ),
    "switch.fabric.down": Text("Under {fabric_bytes_per_s} between the servers one model over both is not usable."),
    "switch.use.own": Text(
        "Owning is cheaper than an API of the same model when the machine works more than {busy_share} of the year"
        " (assumed now: {now_share}), about {tokens_million} million output tokens a month.",
    ),
    "switch.use.never": Text(
        "Against the price of an API for this model owning is never cheaper, even working all year; privacy and control"
        " have to decide.",
    ),
    "switch.tariff.own": Text("Up to {price_money} per kWh owning is cheaper than an API, at the assumed use."),
    "switch.tariff.none": Text(
        "The electricity tariff does not decide: at the assumed use the API is cheaper even with free electricity."
    ),
}
