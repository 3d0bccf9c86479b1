/**
 * Words that fingers and dictation write for others, each with what has to stand around it.
 * @module
 */

/** Small words of commands: too short for repair by likeness alone. */
export const smallWords: ReadonlySet<string> = new Set(
  'the and in on off up out to for my all tv at of it is you with down open'.split(' '),
)

/** Words of English that could be parted, and are meant as they are. */
const compounds = new Set(
  `lighthouse lighthouses lightweight lightyear daylight sunlight moonlight streetlight highlight highlights headlight
headlights candlelight flashlight lampshade lampshades lamppost income outcome overcome become welcome playground playoff
playoffs playhouse playtime makeup liftoff dropoff kickoff takeoff turnover turnout lookout takeout handout timeout workout
checkout knockout countdown touchdown showdown shutdown lockdown startup pickup setup backup warmup wakeup forever
downtime uptime lifetime daytime halftime sometimes meantime housework homemade doorstep doorway waterfall waterproof
watermelon waterfront heatwave heatstroke blindfold blindspot nightlife nightclub nightmare nightgown tabletop worktop
worktops timetable tablecloth wallpaper firewood fireman fireworks downstream upstream offline online bookshop
cupboard football handball tonight overall overnight overhead however whatever whenever wherever forward household
housewife openness soundproof showroom playmate roommate firehouse powerhouse`.split(/\s+/),
)

/** Whether a word is a whole one, though its parts are words of the vocabulary. */
export const isCompound = (word: string): boolean => compounds.has(word)

/** Units as they are misspelled behind a number. */
export const unitSlips: ReadonlyMap<string, string> = new Map(
  Object.entries({
    minutes:
      'mni mnis nin nins mim mims mns mnts mnt mnutes minuets minuet minets minits minnits minites minuites minues minuts mintes muntes ninutes munites imns mis mkns moins minz mints',
    hours: 'ours hous hors housr horus huors huor hur hurs hrss hourz hoirs',
    degrees: 'degs decrees digress degress degres dagrees degries degreed derees',
    seconds: 'secounds secons sceonds',
  }).flatMap(([unit, slips]) => slips.split(' ').map((slip) => [slip, unit] as const)),
)

/** Words that stand for others, where what stands before and behind them says so. */
interface SoundAlike {
  readonly heard: readonly string[]
  /** The two words before, and the three behind. */
  readonly before?: RegExp
  readonly behind?: RegExp
  readonly meant: readonly string[]
  /** Whether what was written may be meant as well. */
  readonly unsure?: true
}

const unit = /^(minutes?|mins?|hours?|hrs?)\b/
const minute = /^(minutes?|mins?)\b/
const room = '(kitchen|bedroom|bathroom|office|study|lounge|living|garage)'
const device =
  '(lights?|lamps?|tv|telly|television|radio|stereo|music|speakers?|heating|heater|radiators?|blinds?|curtains?|shutters?|shades?|drapes|sprinklers?)'
const opening = /(^|\b(please|and|then|you|to|now|just))$/
const named = new RegExp(`^(the |my |all |both )*(${room}|${device})\\b`)

const alike = (heard: string, meant: string, around: Omit<SoundAlike, 'heard' | 'meant'> = {}): SoundAlike[] =>
  heard.split('|').map((words) => ({ heard: words.split('_'), meant: meant.split(' '), ...around }))

/** What dictation and fingers write for other words. */
export const soundAlikes: readonly SoundAlike[] = [
  ...alike('for|fore', 'four', { behind: minute }),
  ...alike('to|too', 'two', { before: /\b(in|for|after|within|about)$/, behind: minute }),
  ...alike('two|to', 'too', { behind: /^(bright|dark|hot|cold|loud|warm|chilly|noisy|dim)\b/ }),
  ...alike('won', 'one', { behind: unit }),
  ...alike('won', 'one', { before: /\b(twenty|thirty|forty|fifty|sixty|seventy)$/ }),
  ...alike('ate', 'eight', { behind: unit }),
  ...alike('ate', 'eight', { before: /\b(twenty|thirty|forty|fifty|sixty|seventy)$/ }),
  ...alike('tan|tin', 'ten', { behind: unit }),
  ...alike('fife', 'five', { behind: unit }),
  ...alike('sicks|sex', 'six', { behind: unit }),
  ...alike('tree|free', 'three', { behind: unit }),
  ...alike('our', 'hour', { before: /\b(an|half an)$/ }),
  ...alike('four|fore', 'for', {
    before: /[a-z]$/,
    behind: /^(the|my|ten|fifteen|twenty|thirty|half|an|a|\d+) /,
    unsure: true,
  }),
  ...alike('two', 'to', { before: /[a-z]$/, behind: /^(sixteen|seventeen|eighteen|nineteen|twenty|1[5-9]|2[0-5])\b/ }),
  ...alike('weight|weigh', 'wait', {
    behind: /^(a |an |for |one |two |three |five |ten |fifteen |twenty |thirty |half |\d+ )/,
  }),
  ...alike('clothes|cloths|cloth|clues', 'close', {
    before: /(^|\b(?!my|the|your|his|her|our|dirty|clean|wash|dry|iron)\w+)$/,
    behind: /^(the|my|all|them|it|both|those)\b/,
  }),
  ...alike('shot|shoot|shit|shat|shout|shuts|short', 'shut', {
    before: opening,
    behind:
      /^(the |my |all |both )+((bedroom|kitchen|office|living|lounge) )?(room )?(blinds?|curtains?|shutters?|shades?|drapes|garage|bedroom|kitchen|office|living|lounge)/,
  }),
  ...alike('stat|star|stare|strat|smart', 'start', {
    before: opening,
    behind: /^(the |my |all )+(\w+ )?(sprinkl\w*|radio|tv|music|water\w*|heating|irrigation)/,
  }),
  ...alike('sprinkles|springlers|springers', 'sprinklers', {
    before: /\b(the|my|all|stop|start|garden|patio|balcony)$/,
  }),
  ...alike('hearing|eating|heeding|beating', 'heating', {
    before: new RegExp(`\\b(put|turn|switch|the|central|floor|${room.slice(1, -1)}|room)$`),
    behind: /^(on|off|of|up|down|to|at|in|please)\b/,
  }),
  ...alike('chicken|kitten|kitsch', 'kitchen', {
    before: /\bin( the)?$/,
    behind: /^($|please|and|now|thanks|off|on|up)/,
  }),
  ...alike('chicken|kitten', 'kitchen', { behind: new RegExp(`^${device}\\b`) }),
  ...alike('lunge|longe|launch|lung|lunges|lounger', 'lounge', { before: /\b(in|the)$/ }),
  ...alike('binds|blends|blinks|bling|blimds', 'blinds', {
    before: new RegExp(`\\b(the|all|open|close|shut|${room.slice(1, -1)}|room)$`),
  }),
  ...alike('curtain_s|cur_tins|cur_tens|certain|certains|curtins', 'curtains', {
    before: /\b(the|all|open|close|shut|draw)$/,
  }),
  ...alike('tell_he|tell_e|tell_ie|tally|belly|jelly', 'telly', { before: /\b(the|my|off|on|of)$/ }),
  ...alike('tell_a_vision|tele_vision', 'television'),
  ...alike('oh_pen|o_pen|hope_in', 'open'),
  ...alike('patty_oh|paddy_oh|patty_o|pat_io|party_oh|patio_oh', 'patio'),
  ...alike('ray_dio|ray_do|radii|ratio|rodeo', 'radio', { before: /\b(the|off|on|of|my|kitchen|bedroom|office)$/ }),
  ...alike('inn', 'in'),
  ...alike('i_am', 'in', {
    before: /\b(off|on|up|down|out|open|shut|bedroom|kitchen|bathroom|office|lounge|garden|patio)$/,
    behind: /^(\d+|five|ten|fifteen|twenty|thirty) [a-z]+$/,
  }),
  ...alike('turn_in|tun_in|trun_in', 'turn on', { behind: named, unsure: true }),
  ...alike('switch_in', 'switch on', { behind: named, unsure: true }),
  ...alike('in', 'on', { before: new RegExp(`\\b${device}$`), behind: /^($|please$|now$)/, unsure: true }),
  ...alike('on', 'in', { before: /\b(off|up|down|shut|closed|open)$/, behind: new RegExp(`^(the )?${room}\\b`) }),
]
