"""A deal: fed with what happens, one act after the other, it says what each act settled.

An act is checked whole before anything changes: a refused act leaves the deal as it was. It never reads a clock and
never knows the order of undealt cards (C-3).
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from tables.rules import limits
from tables.rules.bet import Bet
from tables.rules.cards import CARD_OF, COLOURS, RANK_OF, RANKS, SUIT_OF, Card
from tables.rules.events import (
    Act,
    CorrectBet,
    CorrectCards,
    Correction,
    Cut,
    DrawCard,
    EndDeal,
    Misdeal,
    Paroli,
    PlaceBet,
    Refuse,
    Reveal,
    ShowPocket,
    UnmadeBet,
    UnrecordedBet,
    Withdraw,
)
from tables.rules.paytable import Line
from tables.rules.refusals import Code, Refusal
from tables.rules.settlement import Settlement
from tables.rules.shoe import Shoe
from tables.rules.terms import Terms


class Deal:
    """One passage through the shoe, from its opening to its end.

    bank         what a player's bank holds now, in minor units; None: the house's
    take_backs   how many cards were taken back in it
    settlements  all of them as corrected, in the order of C-14
    """

    def __init__(self, terms: Terms, name: str, bank: int | None) -> None:
        self.terms: Final = terms
        self.game: Final = terms.game
        self._cashier: Final = terms.cashier
        self._betting_until: Final = terms.game.played if terms.game.betting == "between_turns" else 1
        self.name: Final = name
        self.bank_before: Final = bank
        self.bank = bank
        self.shoe: Final = Shoe(terms.game.deck, terms.game.decks)
        self.cards: Final[list[Card]] = []
        self.pocket: Final[list[Card]] = []
        self.bets: Final[dict[str, Bet]] = {}
        self.standing: Final[dict[str, Bet]] = {}
        self.settlements: list[Settlement] = []
        self.acts: Final[list[Act]] = []
        self.unmade: frozenset[str] = frozenset()
        self.cut = False
        self.finished = False
        self.turn = 0
        self.take_backs = 0
        self._on_rank: Final[list[list[Bet]]] = [[] for _ in range(13)]
        self._on_suit: Final[dict[int, Bet]] = {}
        self._of_seat: Final[dict[int, list[Bet]]] = {}
        self._sealed = 0
        # A rank is bet on while this many of it are undealt: one, or all where a dealt rank is closed. Rules: S-7.
        self._undealt_to_bet: Final = 1 if terms.game.secondary_bets else 4 * terms.game.decks

    # -- what can be read of it

    @property
    def position(self) -> int:
        """Cards recorded, the pocket's included."""
        return len(self.cards) + len(self.pocket)

    @property
    def turn_open(self) -> bool:
        """Whether an odd card lies and its even card is awaited. After a misdeal no turn is open (C-11)."""
        return len(self.cards) % 2 == 1 and not self.finished

    @property
    def undealt(self) -> list[int]:
        return self.shoe.undealt

    @property
    def betting_closed(self) -> bool:
        """Whether no bet is placed or withdrawn any more. Rules: S-6, P-3, F-2."""
        return self.cut or len(self.cards) >= self._betting_until

    def dormant(self, bet: Bet) -> bool:
        """Whether a suit bet sleeps: its seat has no rank bet left. Rules: T-13."""
        return bet.kind.name == "suit" and not self._rank_bets(bet.seat)

    def takes(self) -> tuple[Settlement, ...]:
        """Return what the odd card of the open turn will take, as settlements that are not made yet. Rules: C-4.

        As if the turn were no split: a split may still spare a suit bet (T-12) or take a share (F-3).
        """
        if not self.turn_open:
            return ()
        odd = self.cards[-1]
        hit = [(bet, self._line(bet, odd, "odd", False, bet.standing)) for bet in self._hit_by(odd.rank)]
        made = [
            self._settlement(bet, line, len(self.cards), bet.standing, bet.last_halving)
            for bet, line in hit
            if line is not None
        ]
        return tuple(made)

    def alone(self, correction: Correction) -> bool:
        """Whether the dealer corrects alone: only the odd card whose turn is still open. Rules: C-12."""
        return isinstance(correction, CorrectCards) and self.turn_open and set(correction.cards) == {len(self.cards)}

    # -- what can happen to it

    def apply(self, act: Act) -> Sequence[Settlement]:
        """Record an act and return what it settled, in the order of C-14. Raises Refusal and changes nothing."""
        if self.finished:
            raise Refusal(Code.DEAL_FINISHED, f"Deal {self.name!r} has ended.", value=self.name)
        settled: Sequence[Settlement] = _ACTS[type(act)](self, act)
        self.acts.append(act)
        return settled

    def _refuse_inside_turn(self) -> None:
        if len(self.cards) % 2:
            raise Refusal(
                Code.TURN_OPEN,
                f"The turn is open: {self.cards[-1].text} waits for the even card.",
                value=self.cards[-1].text,
            )

    def _refuse_unless_offered(self, deed: str, words: str) -> None:
        if deed not in self.game.deeds:
            raise Refusal(Code.NOT_OFFERED, f"This table has no {words}.", value=words)

    def _refuse_closed_betting(self, closed: bool) -> None:
        if closed:
            raise Refusal(Code.BETTING_CLOSED, "Bets can no longer be placed or changed in this deal.")

    def _known(self, name: str) -> Bet:
        bet = self.bets.get(name)
        if bet is None:
            raise Refusal(Code.UNKNOWN_BET, f"There is no bet {name!r} in this deal.", value=name)
        return bet

    def _standing(self, name: str) -> Bet:
        bet = self._known(name)
        if not bet.standing:
            raise Refusal(Code.BET_SETTLED, f"Bet {name!r} does not stand any more.", value=name)
        return bet

    def _refuse_known_name(self, name: str) -> None:
        if name in self.bets or name in self.unmade:
            raise Refusal(Code.DUPLICATE_BET, f"There is a bet {name!r} in this deal already.", value=name)

    def _not_in_deck(self, text: str) -> Refusal:
        lowest = RANKS[self.shoe.lowest_rank]
        return Refusal(Code.NOT_IN_DECK, f"The deck has no {text}: it begins with the {lowest}.", value=text)

    def _card(self, text: str) -> Card:
        card = CARD_OF.get(text)
        if card is None:
            raise Refusal(Code.BAD_CARD, f"{text!r} is no card.", value=text)
        if card >> 2 < self.shoe.lowest_rank:
            raise self._not_in_deck(text)
        return card

    def _rank(self, text: str) -> int:
        rank = RANK_OF.get(text)
        if rank is None:
            raise Refusal(Code.BAD_CARD, f"{text!r} is no rank.", value=text)
        if rank < self.shoe.lowest_rank:
            raise self._not_in_deck(text)
        return rank

    def _place(self, act: PlaceBet) -> Sequence[Settlement]:
        # Asked as often as anything: what is nearly always right is seen here, what is wrong is explained elsewhere.
        position = len(self.cards)
        if position % 2:
            self._refuse_inside_turn()
        if act.rank is None:
            self._refuse_kind_not_offered(act)
        if self.cut or position >= self._betting_until:
            self._refuse_closed_betting(True)
        name, seat = act.bet, act.seat
        if name in self.bets or name in self.unmade:
            self._refuse_known_name(name)
        terms, game = self.terms, self.game
        rank, suit = self._named(act)
        suit_bet = rank is None and suit is not None
        if not 1 <= seat <= terms.seats or game.seat is not None:
            limits.check_seat(terms, seat)
        amount = limits.read_stake(terms, act.amount, suit_bet)
        of_seat = self._of_seat.get(seat)
        if of_seat and game.ratio is not None:
            limits.check_ratio(terms, amount, of_seat, game.ratio)
        if rank is not None:
            if self.shoe.undealt_of_rank[rank] < self._undealt_to_bet:
                raise self._dealt_rank(rank)
        elif suit_bet:
            self._refuse_suit_bet(seat)
        if game.one_bet is not None and not suit_bet:
            self._refuse_second_bet(seat, rank, game.one_bet)
        kind = game.kind["suit" if suit_bet else "rank"]
        self._stand(Bet(name, seat, kind, rank, suit, amount, len(self.bets) + 1, position))
        return ()

    def _dealt_rank(self, rank: int) -> Refusal:
        if not self.shoe.undealt_of_rank[rank]:
            return limits.refuse_dead_rank(rank)
        return Refusal(Code.SECONDARY_BET, f"A {RANKS[rank]} has been dealt already.", value=RANKS[rank])

    def _refuse_suit_bet(self, seat: int) -> None:
        if not self._rank_bets(seat):
            raise Refusal(
                Code.SUIT_WITHOUT_RANK, f"Seat {seat} has no rank bet beside which a suit bet stands.", value=seat
            )
        if seat in self._on_suit:
            raise Refusal(Code.SECOND_SUIT, f"Seat {seat} has a suit bet already.", value=seat)

    def _refuse_second_bet(self, seat: int, rank: int | None, one_bet: Literal["deal", "rank"]) -> None:
        if one_bet == "deal" and self.standing:
            raise Refusal(Code.SECOND_BET, "There is a bet in this deal already.", value=seat)
        if one_bet == "rank" and rank is not None:
            for bet in self._on_rank[rank]:
                if bet.seat == seat:
                    raise Refusal(Code.SECOND_BET, f"Seat {seat} has a bet on this rank already.", value=seat)

    def _refuse_kind_not_offered(self, act: PlaceBet) -> None:
        if act.rank is None:
            if act.suit is not None:
                self._refuse_unless_offered("suit", "suit bets")
            elif act.card is not None:
                self._refuse_unless_offered("card", "bets on a card")
            else:
                self._refuse_unless_offered("sealed", "sealed bets")

    def _named(self, act: PlaceBet) -> tuple[int | None, int | None]:
        """Return the rank and the suit that a bet names. Raises bad_card, not_in_deck."""
        if act.card is not None:
            card = self._card(act.card)
            return card >> 2, card & 3
        if act.rank is not None:
            if self.game.names_card:
                raise Refusal(
                    Code.BAD_CARD,
                    f"A bet names its card here, not its rank {act.rank} alone.",
                    value=act.rank,
                )
            return self._rank(act.rank), None
        if act.suit is not None:
            suit = SUIT_OF.get(act.suit)
            if suit is None:
                raise Refusal(Code.BAD_CARD, f"{act.suit!r} is no suit.", value=act.suit)
            return None, suit
        return None, None

    def _stand(self, bet: Bet) -> None:
        """Put a new bet on the layout; the last check is the bank's, which must see it. Rules: C-13."""
        if self.bank is not None:
            limits.check_bank(self.terms, self.bank, len(self.cards), self.standing.values(), bet)
        self.bets[bet.name] = self.standing[bet.name] = bet
        of_seat = self._of_seat.get(bet.seat)
        if of_seat is None:
            of_seat = self._of_seat[bet.seat] = []
        of_seat.append(bet)
        if bet.sealed:
            self._sealed += 1
        elif bet.rank is None:
            self._on_suit[bet.seat] = bet
        else:
            self._on_rank[bet.rank].append(bet)

    def _withdraw(self, act: Withdraw) -> list[Settlement]:
        self._refuse_inside_turn()
        self._refuse_closed_betting(self.betting_closed)
        bet = self._standing(act.bet)
        if self.game.locked:
            if bet.kind.name == "rank":
                raise Refusal(Code.RANK_LOCKED, "A rank bet stays until a card settles it.", value=act.bet)
            if self._rank_bets(bet.seat):
                raise Refusal(
                    Code.SUIT_LOCKED, f"A suit bet stays while seat {bet.seat} has a rank bet.", value=act.bet
                )
        return [self._give_back(bet, "withdrawn", "C-4")]

    def _refuse_stake(self, act: Refuse) -> list[Settlement]:
        self._refuse_inside_turn()
        self._refuse_unless_offered("refuse", "refusals by the banker")
        self._refuse_closed_betting(bool(self.cards))
        return [self._give_back(self._standing(act.bet), "refused", "P-7")]

    def _cut(self, act: Cut) -> Sequence[Settlement]:
        self._refuse_inside_turn()
        self._refuse_unless_offered("cut", "cut that closes betting")
        self._refuse_closed_betting(self.cut or bool(self.cards))
        if act.seat is not None:
            limits.check_seat(self.terms, act.seat)
        self.cut = True
        return ()

    def _draw(self, act: DrawCard) -> Sequence[Settlement]:
        position = len(self.cards) + 1
        game = self.game
        if position > game.played:
            raise Refusal(Code.DEAL_FINISHED, f"The last card, {game.played}, has been dealt.", limit=game.played)
        card = self._card(act.card)
        if not self.shoe.undealt[card]:
            raise self._exhausted(card)
        if act.position is not None and act.position != position:
            raise Refusal(
                Code.WRONG_POSITION,
                f"Position {act.position}: the next card is {position}.",
                value=act.position,
                limit=position,
            )
        if self._sealed and position > 2:
            raise Refusal(Code.SEALED_BET, "A sealed bet must be opened before the third card.")
        self.shoe.draw(card)
        self.cards.append(card)
        if position % 2:
            return ()
        self.turn += 1
        settled = self._judge_turn()
        if position == game.size and game.dealer_ends == "never":
            self.finished = True
        return settled

    def _exhausted(self, card: Card) -> Refusal:
        return Refusal(
            Code.CARD_EXHAUSTED,
            f"Every {card.text} of the shoe has been dealt.",
            value=card.text,
            limit=self.shoe.copies,
        )

    def _reveal(self, act: Reveal) -> list[Settlement]:
        self._refuse_inside_turn()
        self._refuse_unless_offered("reveal", "sealed bets")
        bet = self._standing(act.bet)
        rank, suit = self._named(PlaceBet(act.bet, bet.seat, card=act.card, rank=act.rank))
        if not self.cards:
            raise Refusal(Code.SEALED_BET, "A sealed bet is opened after the first turn.", value=act.bet)
        if not bet.sealed:
            raise Refusal(Code.NOT_SEALED, f"Bet {act.bet!r} is not sealed.", value=act.bet)
        assert rank is not None
        bet.rank, bet.suit, bet.sealed = rank, suit, False
        self._sealed -= 1
        # In its place of the order in which the bets were placed: C-14 also where a sealed bet is settled late.
        on_rank = self._on_rank[rank]
        on_rank.insert(bisect_left(on_rank, bet.ordinal, key=lambda each: each.ordinal), bet)
        settled: list[Settlement] = []
        first, second = self.cards[0], self.cards[1]
        split = first.rank == second.rank
        for position, side, card in ((1, "odd", first), (2, "even", second)):
            if bet.standing and card.rank == rank:
                line = self._line(bet, card, side, split, bet.standing, position)
                assert line is not None
                settled.append(self._close(bet, line, position, bet.standing))
        for settlement in settled:
            place = bisect_left(
                self.settlements,
                (settlement.position, settlement.ordinal),
                key=lambda s: (s.position, s.ordinal),
            )
            self.settlements.insert(place, settlement)
        self._end_with_bet(settled)
        return settled

    def _paroli(self, act: Paroli) -> Sequence[Settlement]:
        self._refuse_inside_turn()
        self._refuse_unless_offered("paroli", "paroli")
        won = self.bets.get(act.of)
        win = won.win if won is not None else None
        if win is not None and win.turn != self.turn:
            self._refuse_closed_betting(True)
        self._refuse_known_name(act.bet)
        won = self._known(act.of)
        if won.bent:
            raise Refusal(Code.BET_SETTLED, f"The corner of bet {act.of!r} has been bent already.", value=act.of)
        if win is None:
            raise Refusal(Code.NOT_WON, f"Bet {act.of!r} has not won.", value=act.of)
        assert won.rank is not None
        if not self.shoe.undealt_of_rank[won.rank]:
            raise limits.refuse_dead_rank(won.rank)
        self._stand(
            Bet(
                act.bet,
                won.seat,
                won.kind,
                won.rank,
                won.suit,
                win.returned,
                len(self.bets) + 1,
                len(self.cards),
                of=act.of,
            )
        )
        won.bent = True
        return ()

    def _show_pocket(self, act: ShowPocket) -> list[Settlement]:
        self._refuse_inside_turn()
        self._refuse_unless_offered("pocket", "pocket")
        cards = [self._card(text) for text in act.cards]
        for card in cards:
            if cards.count(card) > self.shoe.undealt[card]:
                raise self._exhausted(card)
        if len(self.cards) != self.game.played:
            raise Refusal(
                Code.WRONG_POSITION,
                f"The pocket is shown after card {self.game.played}.",
                value=len(self.cards),
                limit=self.game.played,
            )
        settled: list[Settlement] = []
        for position, card in enumerate(cards, len(self.cards) + 1):
            self.shoe.draw(card)
            self.pocket.append(card)
            for bet in list(self._on_rank[card.rank]):
                line = self._line(bet, card, "pocket", False, bet.standing)
                assert line is not None
                settled.append(self._close(bet, line, position, bet.standing))
        assert not self.standing, "every bet still standing is on a pocket rank (S-6)"
        self.settlements += settled
        self.finished = True
        return settled

    def _end(self, act: EndDeal) -> list[Settlement]:
        dealer_ends = self.game.dealer_ends
        if dealer_ends == "never":
            raise Refusal(Code.DEAL_NOT_FINISHED, "The deal ends by itself, with its last card.")
        if dealer_ends == "when_none_stands" and self.standing:
            raise Refusal(Code.DEAL_NOT_FINISHED, "A bet still stands.", value=next(iter(self.standing)))
        self._refuse_inside_turn()
        self.finished = True
        return [self._give_back(bet, "returned", "T-14") for bet in list(self.standing.values())]

    def _misdeal(self, act: Misdeal) -> list[Settlement]:
        self.finished = True
        return [self._give_back(bet, "void", "C-11") for bet in list(self.standing.values())]

    # -- how a turn is judged

    def _rank_bets(self, seat: int) -> bool:
        """Whether a rank bet of the seat stands."""
        of_seat = self._of_seat.get(seat, ())
        return len(of_seat) > (seat in self._on_suit)

    def _hit_by(self, rank: int) -> list[Bet]:
        """Return the bets that a card of a rank touches now, in the order in which they were placed. Rules: T-6."""
        hit = self._on_rank[rank].copy()
        if hit and self._on_suit:
            on_suit = self._on_suit
            suits = [on_suit[bet.seat] for bet in hit if bet.seat in on_suit]  # one rank bet a seat and rank (T-1)
            if suits:
                hit += suits
                hit.sort(key=_ordinal)
        return hit

    def _line(
        self, bet: Bet, card: Card, side: Any, split: bool, base: int, position: int | None = None
    ) -> Line | None:
        if position is None:
            position = len(self.cards)
        colour = COLOURS[bet.suit][card & 3] if bet.kind.by_colour and bet.suit is not None else None
        return bet.kind.line(side, split, colour, position, position == self.shoe.size, base < bet.amount)

    def _judge_turn(self) -> list[Settlement]:
        """Judge the two cards that lie, the odd one first. Rules: C-4, C-14, T-6."""
        odd, even = self.cards[-2], self.cards[-1]
        position = len(self.cards)
        split = odd >> 2 == even >> 2
        # Which bets a card touches is known at the start of the turn, before the odd card closes any.
        hit_odd = self._hit_by(odd >> 2)
        hit_even = () if split else self._hit_by(even >> 2)
        settled: list[Settlement] = []
        opening: dict[str, tuple[int, int]] = {}  # suit bets that the odd card settled: stake before, taken
        for bet in hit_odd:
            line = self._line(bet, odd, "odd", split, bet.standing, position - 1)
            if line is not None:
                made = self._close(bet, line, position - 1, bet.standing)
                settled.append(made)
                if bet.kind.judged_on == "opening":
                    opening[bet.name] = made.stake, made.taken
        for bet in hit_even:
            base, taken_by_odd = opening.get(bet.name, (bet.standing, 0))
            if not base:
                continue  # closed by the odd card
            line = self._line(bet, even, "even", split, base, position)
            if line is not None:
                settled.append(self._close(bet, line, position, base, taken_by_odd))
        self.settlements += settled
        self._end_with_bet(settled)
        return settled

    def _end_with_bet(self, settled: Sequence[Settlement]) -> None:
        if settled and self.game.ends_with_bet:
            self.finished = True

    def _settlement(self, bet: Bet, line: Line, position: int, base: int, last_halving: int) -> Settlement:
        effect, stake = line.effect, bet.standing
        paid, taken, returned, standing = self._cashier.amounts(effect, stake, base, last_halving)
        return Settlement(
            self.name, (position + 1) // 2, position, bet.name, bet.seat, effect.outcome,
            stake, paid, taken, returned, standing, line.clause, bet.ordinal,
        )  # fmt: skip

    def _close(self, bet: Bet, line: Line, position: int, base: int, taken_by_odd: int = 0) -> Settlement:
        """Settle a bet by a card: wholly, or in part where something stands on."""
        made = self._settlement(bet, line, position, base, taken_by_odd or bet.last_halving)
        bet.touched = True
        bet.standing = made.standing
        if made.standing:
            if made.taken:
                bet.halvings += (made.taken,)
            elif isinstance(line.effect.pay, str):
                bet.halvings = bet.halvings[:-1]
        elif made.stake:
            self._leave(bet)
        if made.outcome == "win":
            bet.win = made
        if self.bank is not None:
            self.bank += made.taken - made.paid
        return made

    def _give_back(self, bet: Bet, outcome: str, clause: str) -> Settlement:
        """Return what stands of a bet that no card settled."""
        stake = bet.standing
        made = Settlement(
            self.name,
            self.turn,
            self.turn * 2,
            bet.name,
            bet.seat,
            outcome,
            stake,
            0,
            0,
            stake,
            0,
            clause,
            bet.ordinal,
        )
        bet.standing = 0
        self._leave(bet)
        self.settlements.append(made)
        return made

    def _leave(self, bet: Bet) -> None:
        """Take a closed bet off the layout."""
        del self.standing[bet.name]
        self._of_seat[bet.seat].remove(bet)
        if bet.sealed:
            self._sealed -= 1
        elif bet.rank is None:
            del self._on_suit[bet.seat]
        else:
            self._on_rank[bet.rank].remove(bet)

    # -- corrections: the record is judged again as if it had been entered so (C-12)

    def corrected(self, correction: Correction) -> "Deal":
        """Return the deal as it would be had it been recorded rightly; this one stays as it is.

        Settlements that did not stand in the same words before are marked. Raises Refusal with the code that the
        first act which could not have been accepted would now get. Rules: C-12.
        """
        acts = list(self.acts)
        changed, unmade, reserved = -1, self.unmade, self.unmade
        take_backs = self.take_backs
        if isinstance(correction, CorrectCards):
            take_backs += self._correct_cards(acts, correction)
        elif isinstance(correction, CorrectBet):
            changed = self._correct_bet(acts, correction)
        elif isinstance(correction, UnmadeBet):
            self._known(correction.bet)
            acts = [act for act in acts if not (isinstance(act, PlaceBet | Paroli) and act.bet == correction.bet)]
            unmade = unmade | {correction.bet}
        else:
            changed = self._insert_bet(acts, correction)
            if _names_bet(acts[changed + 1 :], correction.bet.bet):
                reserved = reserved | {correction.bet.bet}  # a name that was given away only later is not free
        deal = Deal(self.terms, self.name, self.bank_before)
        deal.unmade = reserved
        for index, act in enumerate(acts):
            try:
                deal.apply(act)
            except Refusal as refusal:
                raise refusal if index == changed else refusal.because_of(_say(act)) from None
        deal.unmade = unmade
        deal.take_backs = take_backs
        before = {settlement.words(): settlement.corrected for settlement in self.settlements}
        for settlement in deal.settlements:
            settlement.corrected = before.get(settlement.words(), True)
        return deal

    def _correct_cards(self, acts: list[Act], correction: CorrectCards) -> int:
        """Put the right cards into the acts; return how many were taken back."""
        last = self.position
        right = {position: None if text is None else self._card(text) for position, text in correction.cards.items()}
        recorded = [*self.cards, *self.pocket]
        left = list(self.shoe.undealt)
        for position in right:
            if 1 <= position <= last:
                left[recorded[position - 1]] += 1
        for card in right.values():
            if card is not None:
                if not left[card]:
                    raise self._exhausted(card)
                left[card] -= 1
        for position, card in right.items():
            if not 1 <= position <= last:
                raise Refusal(
                    Code.WRONG_POSITION,
                    f"No card is recorded at position {position}.",
                    value=position,
                    limit=last,
                )
            if card is None and (position != last or self.pocket):
                raise Refusal(
                    Code.WRONG_POSITION,
                    f"The card at position {position} cannot be taken back: only the last one, before the pocket.",
                    value=position,
                    limit=len(self.cards),
                )
        texts = {position: card.text for position, card in right.items() if card is not None}
        position = 0
        for index, act in enumerate(acts):
            if isinstance(act, DrawCard):
                position += 1
                acts[index] = DrawCard(texts.get(position, act.card))
            elif isinstance(act, ShowPocket):
                acts[index] = ShowPocket(
                    tuple(texts.get(place, card) for place, card in enumerate(act.cards, position + 1))
                )
        if None in right.values():
            del acts[max(index for index, act in enumerate(acts) if isinstance(act, DrawCard))]
            return 1
        return 0

    def _correct_bet(self, acts: list[Act], correction: CorrectBet) -> int:
        """Put the right fields into the acts; return the index of the act that they belong to."""
        bet = self._known_for_correction(correction)
        index = next(i for i, act in enumerate(acts) if isinstance(act, PlaceBet) and act.bet == bet.name)
        placed = acts[index]
        assert isinstance(placed, PlaceBet)
        named = (correction.rank, correction.card, correction.suit)
        if named == (None, None, None) or bet.was_sealed:
            rank, card, suit = placed.rank, placed.card, placed.suit
        else:
            rank, card, suit = named
        seat = placed.seat if correction.seat is None else correction.seat
        amount = placed.amount if correction.amount is None else correction.amount
        acts[index] = PlaceBet(bet.name, seat, amount, rank, card, suit)
        if bet.was_sealed and named != (None, None, None):
            opened = next(i for i, act in enumerate(acts) if isinstance(act, Reveal) and act.bet == bet.name)
            acts[opened] = Reveal(bet.name, correction.card, correction.rank)
            if correction.seat is None and correction.amount is None:
                return opened
        return index

    def _known_for_correction(self, correction: CorrectBet) -> Bet:
        bet = self.bets.get(correction.bet)
        if bet is not None and bet.of is not None:
            raise Refusal(
                Code.NOT_OFFERED,
                f"Bet {bet.name!r} is a paroli: correct the bet that it was won with.",
                value=bet.name,
            )
        if correction.suit is not None:
            self._refuse_unless_offered("suit", "suit bets")
        if correction.card is not None and not (bet.was_sealed if bet is not None else "sealed" in self.game.deeds):
            self._refuse_unless_offered("card", "bets on a card")
        bet = self._known(correction.bet)
        if bet.sealed and (correction.card is not None or correction.rank is not None):
            self._named(PlaceBet(bet.name, bet.seat, card=correction.card, rank=correction.rank))
            raise Refusal(Code.SEALED_BET, f"Bet {bet.name!r} is still sealed: it has no card.", value=bet.name)
        return bet

    def _insert_bet(self, acts: list[Act], correction: UnrecordedBet) -> int:
        """Insert a bet that stood unrecorded: the last one placed after its position. Return its index."""
        after = correction.after
        if after % 2 or not 0 <= after <= len(self.cards):
            self._refuse_kind_not_offered(correction.bet)
            self._refuse_known_name(correction.bet.bet)
            self._named(correction.bet)
            raise Refusal(
                Code.WRONG_POSITION,
                f"A bet cannot have stood after position {after}.",
                value=after,
                limit=len(self.cards) // 2 * 2,
            )
        index = position = 0
        while position < after:
            position += isinstance(acts[index], DrawCard)
            index += 1
        window = index
        while window < len(acts) and not isinstance(acts[window], DrawCard):
            if isinstance(acts[window], PlaceBet):
                index = window + 1
            window += 1
        acts.insert(index, correction.bet)
        return index


def _names_bet(acts: Sequence[Act], name: str) -> bool:
    return any(isinstance(act, PlaceBet | Paroli) and act.bet == name for act in acts)


def _ordinal(bet: Bet) -> int:
    return bet.ordinal


def _say(act: Act) -> str:
    """Name an act in a sentence."""
    match act:
        case DrawCard():
            return f"card {act.card}"
        case PlaceBet() | Withdraw() | Refuse() | Reveal() | Paroli():
            return f"{_NAMES[type(act)]} {act.bet!r}"
        case _:
            return _NAMES[type(act)]


_NAMES: Final[dict[type[Act], str]] = {
    PlaceBet: "bet",
    Withdraw: "withdrawal of",
    Refuse: "refusal of",
    Reveal: "opening of",
    Paroli: "paroli",
    Cut: "the cut",
    ShowPocket: "the pocket",
    EndDeal: "the end",
    Misdeal: "the misdeal",
}

_ACTS: Final[dict[type[Act], Callable[[Deal, Any], Any]]] = {
    PlaceBet: Deal._place,  # pyright: ignore[reportPrivateUsage]
    Withdraw: Deal._withdraw,  # pyright: ignore[reportPrivateUsage]
    Refuse: Deal._refuse_stake,  # pyright: ignore[reportPrivateUsage]
    Cut: Deal._cut,  # pyright: ignore[reportPrivateUsage]
    DrawCard: Deal._draw,  # pyright: ignore[reportPrivateUsage]
    Reveal: Deal._reveal,  # pyright: ignore[reportPrivateUsage]
    Paroli: Deal._paroli,  # pyright: ignore[reportPrivateUsage]
    ShowPocket: Deal._show_pocket,  # pyright: ignore[reportPrivateUsage]
    EndDeal: Deal._end,  # pyright: ignore[reportPrivateUsage]
    Misdeal: Deal._misdeal,  # pyright: ignore[reportPrivateUsage]
}
