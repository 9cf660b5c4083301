/**
 * One seat of one game: translates mjai events for a majiang-core player, and its replies to mjai actions.
 *
 * The messages are those of majiang-core's `Game` (lib/game.js): kaiju (the game), qipai (the deal), zimo and gangzimo
 * (draws), dapai (discard), fulou (call), gang (closed or added kong), kaigang (new dora). Seats in them count from
 * the dealer. hule, pingju and jieju, the ends of rounds and of the game, are not sent: a majiang-core player only
 * displays them, and the next qipai carries all scores.
 */
"use strict";

const { SOURCES, calledMeld, closedKong, ownTiles, toMajiang, toMjai } = require("./words");

const NONE = { type: "none" };
const ANSWERED = ["tsumo", "dahai", "chi", "pon", "ankan", "kakan", "reach"];
const WINDS = ["E", "S", "W", "N"];

/** Tenhou's rules where they differ from the defaults of majiang-core: no double yakuman. */
const TENHOU = { "ダブル役満あり": false };

class Translator {
  /** makePlayer: returns a new player; rule: majiang-core's function that makes a set of rules. */
  constructor(makePlayer, rule) {
    this.makePlayer = makePlayer;
    this.rule = rule(TENHOU);
  }

  /** Takes events in order, and returns the seat's answer to the last event that a player can answer. */
  react(events) {
    const asked = events.findLastIndex((event) => ANSWERED.includes(event.type));
    let answer = NONE;
    events.forEach((event, index) => {
      const action = this.take(event, index === asked);
      if (index === asked) answer = action;
    });
    return answer;
  }

  /** Takes one event; returns the player's action if `asked`. */
  take(event, asked) {
    switch (event.type) {
      case "start_game": this.seat = event.id; this.player = null; return NONE;
      case "start_kyoku": this.deal(event); return NONE;
      case "reach": this.riichi = event.actor; return (asked && this.riichiDiscard) || NONE;
      case "dora": this.player.action({ kaigang: { baopai: toMajiang(event.dora_marker) } }); return NONE;
    }
    const message = this.message(event);
    if (message === null) return NONE;
    this.last = event;
    let reply = null;
    this.player.action(message, asked ? (given) => { reply = given; } : undefined);
    return reply ? this.action(reply) : NONE;
  }

  /** The number of a seat in majiang: counted from the dealer. */
  place(seat) { return (seat - this.dealer + 4) % 4; }

  deal(event) {
    this.dealer = event.oya;
    const round = event.kyoku - 1;
    if (this.player === null) {
      this.player = this.makePlayer();
      const first = (event.oya - round + 4) % 4;
      const names = ["", "", "", ""];
      this.player.action({ kaiju: { id: this.seat, rule: this.rule, title: "", player: names, qijia: first } });
    }
    this.riichi = this.riichiDiscard = null;
    this.afterKong = false;
    const hands = ["", "", "", ""];
    hands[this.place(this.seat)] = event.tehais[this.seat].map(toMajiang).join("");
    this.player.action({
      qipai: {
        zhuangfeng: WINDS.indexOf(event.bakaze),
        jushu: round,
        changbang: event.honba,
        lizhibang: event.kyotaku,
        defen: [0, 1, 2, 3].map((place) => event.scores[(this.dealer + place) % 4]),
        baopai: toMajiang(event.dora_marker),
        shoupai: hands,
      },
    });
  }

  /** The majiang message for an event, or null if it has none. */
  message(event) {
    const l = this.place(event.actor);
    switch (event.type) {
      case "tsumo": {
        const word = this.afterKong ? "gangzimo" : "zimo";
        this.afterKong = false;
        return { [word]: { l, p: event.actor === this.seat ? toMajiang(event.pai) : "" } };
      }
      case "dahai": {
        const declares = this.riichi === event.actor;
        this.riichi = this.riichiDiscard = null;
        return { dapai: { l, p: toMajiang(event.pai) + (event.tsumogiri ? "_" : "") + (declares ? "*" : "") } };
      }
      case "chi": case "pon": case "daiminkan": {
        this.afterKong = event.type === "daiminkan";
        const source = SOURCES[(event.target - event.actor + 4) % 4];
        return { fulou: { l, m: calledMeld(event.consumed.map(toMajiang), toMajiang(event.pai), source) } };
      }
      case "ankan":
        this.afterKong = true;
        return { gang: { l, m: closedKong(event.consumed.map(toMajiang)) } };
      case "kakan": {
        this.afterKong = true;
        const tile = toMajiang(event.pai);
        const kind = tile.replace("0", "5");
        const pong = kind + kind[1].repeat(2);
        const melds = this.player.model.shoupai[l]._fulou;
        return { gang: { l, m: melds.find((meld) => meld.replace(/0/g, "5").startsWith(pong)) + tile[1] } };
      }
      default: return null;
    }
  }

  /** The mjai action for a player's reply. */
  action(reply) {
    const actor = this.seat, { actor: target, pai } = this.last;
    if (reply.hule) return { type: "hora", actor, target, pai };
    if (reply.daopai) return { type: "ryukyoku", actor };
    if (reply.gang) return this.kong(reply.gang);
    if (reply.dapai) return this.discard(reply.dapai);
    if (reply.fulou) {
      const consumed = ownTiles(reply.fulou);
      const chow = /-/.test(reply.fulou) && new Set(reply.fulou.replace(/0/g, "5").match(/\d/g)).size > 1;
      return { type: consumed.length === 3 ? "daiminkan" : chow ? "chi" : "pon", actor, target, pai, consumed };
    }
    return NONE;
  }

  discard(tile) {
    const discard = { type: "dahai", actor: this.seat, pai: toMjai(tile), tsumogiri: tile[2] === "_" };
    if (!tile.endsWith("*")) return discard;
    this.riichiDiscard = discard;
    return { type: "reach", actor: this.seat };
  }

  kong(meld) {
    const actor = this.seat, tiles = meld.match(/\d/g).map((number) => toMjai(meld[0] + number));
    if (/^[mpsz]\d{4}$/.test(meld)) return { type: "ankan", actor, consumed: tiles };
    return { type: "kakan", actor, pai: tiles[3], consumed: tiles.slice(0, 3) };
  }
}

module.exports = { Translator };
