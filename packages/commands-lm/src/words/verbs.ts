/**
 * Verbs, and words for a state: what each means alone, and what is done with each kind of thing.
 * @module
 */
import type { CommandCall, CommandKind } from '@flow-service/protocol'

/** What somebody wants of a thing. */
export type Deed =
  | 'on'
  | 'off'
  | 'up'
  | 'down'
  | 'open'
  | 'close'
  | 'start'
  | 'stop'
  | 'hold'
  | 'play'
  | 'pause'
  | 'warm'
  | 'cool'
  | 'water'
  | 'lit'
  | 'toggle'
  | 'boost'
  | 'shut'
  | 'give'

/** How a verb works: `alone` without a word for a state; `set` takes a temperature; `helps` goes before another verb. */
export interface Verb {
  readonly alone?: Deed
  /** Deed for states that mean something else with this verb. */
  readonly states?: Readonly<Partial<Record<Deed | 'back', Deed>>>
  readonly set?: boolean
  /** Whether another verb may follow: "start watering", "have it closed", "go and turn". */
  readonly helps?: boolean
  /** The contrary of what follows: "stop watering". */
  readonly ends?: boolean
  /** Nothing is to happen: "leave it on". */
  readonly leaves?: boolean
  /** Its forms: as it is said, of going on ("turning"), and of the past ("turned"). */
  readonly base: string
  readonly ing?: string
  readonly past?: string
}

/** Verbs of commands. */
export const verbs: readonly Verb[] = [
  {
    set: true,
    base: 'turn|tern|tun|trn ; go ahead and turn',
    ing: 'turning|turnin',
    past: 'turned',
  },
  {
    set: true,
    base: 'switch|witch',
    ing: 'switching',
    past: 'switched',
  },
  {
    set: true,
    base: 'put|putt|toss|lob|pop|stick|throw|chuck|bung|whack|bang|slap|fling|shove|knock|whip|click|flip|flick|snap|plug|pump|bump|kick|press|flash|lash|wack|roll|wind|push|take|do|pop|tap|crack|slide|nip|send|dial|whizz|zap|hurl|sling|plonk|ping|jam|yank|haul|drag|winch|shine|run_along_and_turn',
    ing: 'putting|popping|sticking|throwing|knocking|flipping|flicking|rolling|winding|kicking|sliding|pushing',
    past: 'rolled|flipped|flicked|knocked|popped|thrown|stuck|pushed',
  },
  { states: { up: 'boost' }, set: true, base: 'bring', ing: 'bringing', past: 'brought' },
  { states: { up: 'on' }, base: 'fire|boot|spark', ing: 'firing' },
  { alone: 'on', states: { up: 'on' }, base: 'wake|rouse' },
  {
    alone: 'down',
    states: { down: 'down', off: 'down', back: 'down', up: 'up' },
    set: true,
    base: 'ease|throttle|scale',
  },
  { alone: 'stop', base: 'rest|take_a_break|have_a_rest|take_a_rest|call_off' },
  { states: { up: 'on', down: 'off' }, set: true, base: 'power', ing: 'powering', past: 'powered' },
  {
    alone: 'close',
    states: { up: 'up', down: 'down', back: 'open', open: 'open', on: 'on', off: 'off' },
    set: true,
    base: 'pull|pull_across|pull_over|pull_together|pull_to|pull_closed',
    ing: 'pulling',
    past: 'pulled',
  },
  {
    alone: 'on',
    set: true,
    base: 'crank|blast|jack|ramp|nudge',
    ing: 'cranking|blasting',
    past: 'cranked',
  },
  { set: true, helps: true, base: 'get|have|has', ing: 'getting|having', past: 'got|had' },
  {
    helps: true,
    base: 'let|make_sure|ensure|see_to_it|see|be_sure|make_sure_that|ensure_that|schedule',
    ing: 'letting',
  },
  { alone: 'give', set: true, base: 'give', ing: 'giving', past: 'given' },
  {
    alone: 'close',
    states: { off: 'off', down: 'shut', up: 'close', on: 'on' },
    base: 'shut',
    ing: 'shutting',
  },
  {
    alone: 'close',
    states: { off: 'off', up: 'close', down: 'close' },
    base: 'close|cloze|clos|cose',
    ing: 'closing',
  },
  {
    alone: 'open',
    states: { up: 'open', down: 'open' },
    base: 'open|opn|unshut|uncover|unroll|part|unfurl|unclose|draw_back|pull_back|pull_apart',
    ing: 'opening',
  },
  {
    alone: 'close',
    states: { back: 'open', open: 'open' },
    base: 'draw',
    ing: 'drawing',
    past: 'drawn',
  },
  {
    alone: 'off',
    states: { on: 'on', off: 'off', up: 'off', down: 'off' },
    base: 'cut|kill|killing|douse|extinguish|deactivate|disable|knock_off|get_rid_of|lose|axe|nix|outen|snuff|snuff_out|blow_out|put_paid_to|pull_the_plug_on|shut_off_power_to|unlight|power_off|do_away_with|dispense_with|bin|ditch|blackout|black_out',
    ing: 'cutting|killing',
    past: 'killed',
  },
  {
    alone: 'pause',
    base: 'pause|mute|silence|hush|quiet|quieten|suspend|shush|shut_up',
    ing: 'pausing|muting|silencing',
    past: 'paused|muted|silenced',
  },
  {
    alone: 'play',
    base: 'play|pipe|kick_off_with|start_off_with|carry_on_playing|stream|tune_in_to|tune_in|tune_into|tune_to|queue_up|queue|spin|carry_on_with|continue_with|go_on_with|keep_going_with|belt_out|unsilence|cue|cue_up|resume|unpause|unmute|hear|listen_to|blast_out|pump_out',
    ing: 'playing|resuming|hearing|listening_to|unpausing',
    past: 'resumed',
  },
  {
    alone: 'start',
    helps: true,
    base: 'start|begin|run|activate|enable|launch|initiate|commence|engage|start_up|fire_up|kick_off|boot_up|get_going_with|strike_up|spin_up|spark_up|let_rip_with|continue|carry_on|keep_on',
    ing: 'starting|running|beginning|activating',
    past: 'started|activated',
  },
  {
    alone: 'stop',
    helps: true,
    ends: true,
    base: 'stop|end|halt|quit|cease|finish|discontinue|terminate|abort|cut_out|put_an_end_to|put_a_stop_to|have_done_with|knock_it_off_with',
    ing: 'stopping|ending|halting|quitting|finishing',
    past: 'stopped|halted|ended',
  },
  {
    alone: 'hold',
    set: true,
    base: 'hold|holds|freeze|arrest|arrest_the_movement_of|stop_the_movement_of|no_further_with',
    ing: 'holding',
  },
  {
    alone: 'up',
    set: true,
    base: 'raise|rais|lift|hoist|rase|heighten|hike|increase',
    ing: 'raising|lifting|increasing',
    past: 'raised|lifted',
  },
  {
    alone: 'down',
    set: true,
    base: 'lower|drop|reduce|decrease',
    ing: 'lowering|dropping|reducing',
    past: 'lowered|dropped',
  },
  {
    set: true,
    base: 'set|aim|aim_for|shoot_for|settle|peg|target|climb|reach|sit|rise|hover|adjust|change|regulate|program|move|configure|should_read|read|shift|alter|fix|tweak|be_set',
    ing: 'setting|adjusting|changing',
  },
  { set: true, helps: true, base: 'make|makes', ing: 'making' },
  {
    set: true,
    base: 'aim|target|dial|settle|peg|sit|sits|hover|hovers',
    ing: 'aiming|dialling|settling',
  },
  {
    alone: 'warm',
    states: { up: 'warm', on: 'warm', off: 'off', down: 'cool' },
    set: true,
    base: 'heat|warm|preheat|toast|boost|take_the_chill_off|take_the_edge_off',
    ing: 'heating|warming|boosting',
    past: 'heated|warmed|boosted',
  },
  {
    alone: 'cool',
    states: { down: 'cool', off: 'cool' },
    set: true,
    base: 'cool|chill',
    ing: 'cooling',
    past: 'cooled',
  },
  {
    alone: 'water',
    states: { down: 'water' },
    base: 'water|give_to_drink|wata|irrigate|shower|soak|hydrate|spray|sprinkle|hose|hose_down|moisten|drench|wet',
    ing: 'watering|irrigating|soaking|spraying|sprinkling|misting',
    past: 'watered|irrigated|soaked|sprinkled|sprayed|misted|hosed',
  },
  {
    alone: 'lit',
    states: { up: 'lit', on: 'lit', off: 'off' },
    base: 'light|lite|illuminate',
    ing: 'lighting|illuminating',
    past: 'lit|illuminated',
  },
  { alone: 'toggle', base: 'toggle', ing: 'toggling', past: 'toggled' },
  { leaves: true, set: true, base: 'keep|maintain', ing: 'keeping', past: 'kept' },
  {
    leaves: true,
    base: 'leave|touch|ignore|mess_with|forget_about|bother|bother_with|skip|spare',
    ing: 'leaving|touching|bothering|ignoring',
    past: 'left',
  },
  {
    leaves: true,
    base: 'stay|stays|remain|remains|play_on|run_on|burn_on ; can|could|may|might|should|must|shall|will|ought_to|has_to|have_to|needs_to|is_to|are_to just|please|all? stay|remain|be_left|carry_on|continue|keep_on|keep_going|keep_running|keep_playing|keep_burning|play_on|run_on|burn_on',
    ing: 'staying|remaining',
  },
  { set: false, base: 'come|comes|go|goes', ing: 'coming', past: 'came|went|gone' },
]

/** Words for a state. */
export const states: Readonly<Partial<Record<Deed | 'back', string>>> = {
  on: 'on with ; on|onn|oon ; back on ; switched|turned|put|powered on ; on again ; right|straight|all|both on ; lit up again',
  off: 'off with ; off|of|ofd ; gone|dead ; go|goes dark|dead|away ; has|have|got|needs to go ; must go ; to sleep|bed|rest ; on the head ; finito|kaput ; out ; back off ; switched|turned|shut|powered off ; all|both off',
  up: 'up with ; high ; up|upp ; all the way up ; back|right up ; upward|upwards ; rolled|raised up?|up ; pulled up ; higher',
  down: 'down with ; low ; down ; all the way down ; back|right down ; downward|downwards ; rolled|pulled|lowered down? ; shut down ; lower',
  open: 'open|opened ; opened|open|wide up|open? ; all the way open ; drawn back ; back open',
  close: 'shut|closed|close|shutted|drawn ; closed|shut up|tight ; all the way shut|closed ; drawn shut|closed',
  warm: 'warmer|hotter|toastier|cosier|cozier|toasty ; warmed|heated up? ; nice and warm|toasty|hot|cosy|cozy|snug|warm ; warm ; less cold|chilly',
  cool: 'less heat|heating|warmth ; cooler|colder ; cooled|cool down? ; less hot|warm',
  lit: 'lit ; lit up ; illuminated',
  play: 'playing|resumed ; playing again',
  start:
    'going|running|started|flowing|spinning|burning|glowing|shining|blazing ; up and running ; going again ; going up',
  stop: 'stopped|halted ; a rest|break|breather|kip|night_off ; to a halt|stop|standstill',
  pause: 'paused|muted|silent|silenced|quiet ; on mute|pause|hold',
  back: 'back ; apart ; aside',
}

/** A call, and whether it is doubtful. */
export interface Deal {
  readonly call: CommandCall
  readonly doubtful?: true
}

const sure = (call: CommandCall): Deal => ({ call })
const doubtful = (call: CommandCall): Deal => ({ call, doubtful: true })

/** What a deed is for a kind of thing; nothing where it makes no sense. */
export const deals: Readonly<Record<CommandKind, Readonly<Partial<Record<Deed, Deal>>>>> = {
  light: {
    on: sure('lights_on'),
    off: sure('lights_off'),
    lit: sure('lights_on'),
    start: sure('lights_on'),
    stop: sure('lights_off'),
    give: sure('lights_on'),
    boost: sure('lights_on'),
    shut: sure('lights_off'),
    open: doubtful('lights_on'),
    close: doubtful('lights_off'),
  },
  heating: {
    on: sure('heating_boost'),
    off: sure('heating_off'),
    up: sure('heating_boost'),
    down: doubtful('heating_off'),
    warm: sure('heating_boost'),
    cool: doubtful('heating_off'),
    start: sure('heating_boost'),
    stop: sure('heating_off'),
    give: sure('heating_boost'),
    boost: sure('heating_boost'),
    shut: sure('heating_off'),
    open: doubtful('heating_boost'),
    close: doubtful('heating_off'),
    pause: sure('heating_off'),
  },
  media: {
    on: sure('media_play'),
    off: sure('media_stop'),
    play: sure('media_play'),
    start: sure('media_play'),
    stop: sure('media_stop'),
    pause: sure('media_stop'),
    give: sure('media_play'),
    shut: sure('media_stop'),
    open: doubtful('media_play'),
    close: doubtful('media_stop'),
    hold: sure('media_stop'),
  },
  cover: {
    up: sure('shutters_up'),
    open: sure('shutters_up'),
    boost: sure('shutters_up'),
    shut: sure('shutters_down'),
    down: sure('shutters_down'),
    close: sure('shutters_down'),
    stop: sure('shutters_stop'),
    hold: sure('shutters_stop'),
    pause: sure('shutters_stop'),
  },
  water: {
    on: sure('watering_start'),
    off: sure('watering_stop'),
    start: sure('watering_start'),
    stop: sure('watering_stop'),
    water: sure('watering_start'),
    give: sure('watering_start'),
    shut: sure('watering_stop'),
    open: doubtful('watering_start'),
    close: doubtful('watering_stop'),
    pause: sure('watering_stop'),
  },
}
