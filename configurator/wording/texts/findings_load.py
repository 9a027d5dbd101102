"""Sentences about what is asked for and how fast it is answered."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
    "finding.load.side.models": Text(
        "Size from users and tasks, not from a model's name: count tokens per day, and add the side models (search,"
        " speech, text recognition).",
        "Size from users × tasks in tokens per day; add embedding, OCR and speech models.",
    ),
    "do.load.side": Text("Ask which side models run beside the main one, and how many requests a day each gets."),
    "finding.load.demand.ask": Text(
        "Demand in tokens per day is not known: requests per day times tokens per request."
    ),
    "do.load.demand": Text("Count a week of real use: requests per hour, tokens in and out."),
    "finding.load.demand.units": Text(
        "{requests_per_second} requests per second need {needed_tokens_per_s}: requests per second and tokens per"
        " second"
        " are two different numbers.",
    ),
    "do.load.units": Text(
        "Give both numbers; a load of this size means many copies with a router that knows shared beginnings, not one"
        " large split model."
    ),
    "finding.load.speed.short": Text("You need {asked_tokens_per_s}; expected are {total_tokens_per_s} in all."),
    "do.load.copies": Text("Add a copy on another server."),
    "finding.load.wait.long": Text("The first word comes after {wait_s}; your limit is {limit_s}."),
    "do.load.wait": Text("Shorter prompts, faster cards, or fewer users per copy."),
    "finding.load.pace.slow": Text("Each person gets {user_tokens_per_s}; your limit is {limit_tokens_per_s}."),
    "do.load.pace": Text("Fewer bits, a split over more cards of one server, or fewer users per copy."),
    "finding.load.measured.used": Text(
        "Your measurement stands in place of the estimate: {quantity_code} {value} ({conditions}; {source}, {date}).",
    ),
    "finding.load.calibration.none": Text(
        "The speed is calculated without a measurement of a similar machine: the range is wide."
    ),
    "do.load.measure": Text("Measure one card in the pilot; a measured number replaces the estimate."),
    "rest.near": Text("memory sets the speed, not the network or a wrong setting"),
    "rest.link": Text("the exchange between the cards takes most of the rest"),
    "rest.launch": Text("the fixed time of each step takes most of the rest"),
    "rest.both": Text("the exchange between the cards and the fixed time of each step take the rest"),
    "finding.expectation.limit.share": Text(
        "One person alone gets {expected_tokens_per_s}: {limit_share} of the physical limit of {ceiling_tokens_per_s},"
        " because each token reads {read_gb} of weights on {parallel_gpus}; {rest_code}.",
        "Single stream {expected_tokens_per_s} = {limit_share} of the roof {ceiling_tokens_per_s} ({read_gb} per token"
        " on {parallel_gpus}); {rest_code}.",
    ),
    "finding.expectation.limit.chain": Text(
        "One person alone gets {expected_tokens_per_s}: {limit_share} of the physical limit of {ceiling_tokens_per_s}."
        " Each token reads {read_gb} of weights and passes {stages} one after the other, so the speeds of the cards do"
        " not add up; {rest_code}.",
        "Single stream {expected_tokens_per_s} = {limit_share} of the roof {ceiling_tokens_per_s} ({read_gb} per token,"
        " {stages} in sequence, {parallel_gpus} each); {rest_code}.",
    ),
    "do.expectation.fewer_bits": Text("Fewer bits (FP8, FP4) read less per token and are faster by as much."),
    "finding.expectation.sparse.reads": Text(
        "Speed follows the bytes read per token: this sparse model reads {read_gb} of its {weights_gb}, a dense one"
        " would read all.",
        "MoE: {read_gb} of {weights_gb} read per token; dense models read everything.",
    ),
    "finding.expectation.dense.reads": Text(
        "Speed follows the bytes read per token: this dense model reads all {read_gb}, a sparse one (MoE) of the same"
        " size reads far less and is faster.",
        "Dense: {read_gb} read per token; MoE of the same size reads far less.",
    ),
    "finding.load.batch.full": Text(
        "Work without waiting people fills the machine fully: the fixed cost spreads over many requests at once.",
        "Offline batching spreads the fixed cost: compute cost per token at full batch.",
    ),
    "do.load.batch_when": Text("Ask by when it must be done: that decides whether more servers are needed."),
    "do.load.batch_late": Text("First ask whether a smaller model would do; then add copies."),
    "finding.load.training.offload": Text(
        "The state of this training is larger than the memory of the cards. It runs only with a large part in system"
        " memory (as many gigabytes as the state), several times slower.",
        "State exceeds GPU memory: ZeRO offload only; host RAM must hold the optimiser state.",
    ),
}
