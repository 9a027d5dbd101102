"""How many people a chat carries at a usable speed: memory alone is not the answer to "how many can use it"."""

from __future__ import annotations

from configurator.advice.situation import Situation, at_least
from configurator.plan.model import Policy, Workload
from configurator.scaling.results import Speed

CLOSE_SHARE = 1.05
"""The count is searched until its bounds are this near."""
STANDARD_MOST = 100_000


def limits_of(load: Workload, policy: Policy) -> tuple[float, float]:
    """Longest wait for the first word and slowest pace that count as usable: the owner's, else the policy's."""
    return (
        load.time_to_first_token_limit_s or policy.chat_first_word_s,
        load.tokens_per_s_per_user_limit or policy.chat_tokens_per_s,
    )


def usable(speed: Speed, load: Workload, policy: Policy) -> bool:
    """The expected figures keep both limits."""
    most_s, least = limits_of(load, policy)
    return speed.time_to_first_token_s.expected <= most_s and speed.output_tokens_per_s_per_user.expected >= least


def usable_users(s: Situation) -> int | None:
    """People at once that the chosen layout holds and serves fast enough for a chat; None where nobody chats on it."""
    ask, load = s.work.speed_for, s.workload
    if ask is None or s.chosen is None or load.task != "chat" or not s.writes or not at_least(s.fit, "starts"):
        return None

    def good(users: int) -> bool:
        speed = ask(float(users))
        return speed is not None and usable(speed, load, s.policy)

    most = min(int(s.chosen.memory.users_served.expected), STANDARD_MOST)
    if most < 1 or not good(1):
        return 0
    if good(most):
        return most
    low, high = 1, most
    while high - low > 1 and high / low > CLOSE_SHARE:
        middle = round((low * high) ** 0.5)
        middle = min(max(middle, low + 1), high - 1)
        if good(middle):
            low = middle
        else:
            high = middle
    return low
