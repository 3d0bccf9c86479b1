/**
 * Words for things: devices of each kind, words that describe them, and things that are none of ours.
 * @module
 */
import type { CommandKind } from '@flow-service/protocol'

/** Words for each kind of device. */
export const thingWords: Readonly<Record<CommandKind, string>> = {
  light: `
    light|lights|lite|lites|lights|lighting|lightning|lamp|lamps|lantern|lanterns|chandelier|spotlight|spotlights|spots|downlights|downlighters|floodlight|floodlights|uplighter|illumination ;
    light|lights switch|fixture|fixtures|fitting|fittings ;
    tube|table|floor|desk|standing|standard|bedside|ceiling|wall|reading|night|overhead|string|fairy|led|security|flood|strip light|lights|lamp|lamps ;
    light|lamp bulb|bulbs ; bulb|bulbs ; nightlight ; lightbulb ; lightbulbs ; light bulbs ; electric light ;
    big light ; sconces ; nite lite ; tubelight|tubelights`,
  heating: `
    heating|heatin|heat|heet|heater|heaters|radiator|radiators|rads|rad|thermostat|thermostats|temperature|temperatures|temp|temps|furnace|boiler|warmth ;
    central|floor|underfloor|under|space|electric|gas heating|heat|heater|heaters|floor ; under floor heating ;
    heating system ; room temperature ; towel rail|radiator|warmer ; temperature setting|target ;
    frost guard|protection|setting|stat ; target temperature? ; the heating setpoint ; setpoint`,
  media: `
    tv|tvs|telly|tellies|tele|tellys|teli|television|televisions|music|musik|moosic|radio|radios|stereo|stereos|speaker|speakers|hifi|tunes|tune|audio|sonos|soundbar|boombox|playback|jukebox|wireless|gramophone ;
    t v ; hi fi ; sound system|bar|? ; record|cd|media|music|dvd player ; music|media system|centre|center|box ;
    entertainment system|centre|center ; smart tv ; tv set ; whatever|what is|was|'s playing|on ; home? cinema system ; idiot|goggle box ;
    media ; background music ; some sounds ; projector`,
  cover: `
    shutter|shutters|blind|blinds|blinders|curtain|curtains|shade|shades|drape|drapes|jalousie|jalousies|venetians|louvers|louvres ;
    roller|venetian|window|roman|black_out|blackout|net|sun blind|blinds|shade|shades|shutter|shutters|curtain|curtains|covering|coverings|cover|covers ;
    cover|covers ; roller|rollers ; sunblind|sunblinds ; rolling shutter|shutters`,
  water: `
    sprinkler|sprinklers|irrigation|hose|hoses|hosepipe|hosepipes|drip|water|watering|waterin ;
    irrigation|watering|sprinkler|water system|systems ; water sprinkler|sprinklers ; water hose ;
    good|nice|proper|thorough soaking|soak|drenching|watering ; soaking|drenching ; drip irrigation|line|lines|system ;
    drippers ; sprinkling ; flower bed sprinklers ; hose pipe ; soaker`,
}

/** Words for the cover of the garage, which need no other name of a place. */
export const garageDoorWords = `
  garage|garge|garag|carport door|doors|dor|gate|shutter|shutters|roller ; garage roller door ;
  roller|up|overhead garage door`

/** Growing things: they are watered where they stand. */
export const plantWords = `
  plant|plants|pot|pots|flower|flowers|tub|tubs|planter|planters|rose|roses|tomatoes|tomato|geraniums|herbs|vegetables|veggies|veg|shrubs|bushes|hedge|trees|tree|seedlings|basil|ferns|hanging_baskets|baskets|basket ;
  potted|pot|tomato|flower plant|plants|pots ; plant|flower pots ; window|flower|balcony boxes ; petunias ; beans ; lettuce ;
  orchids ; begonias ; lavender ; soil ; earth ; crops ; strawberries ; raised beds ; hydrangeas ; peppers ;
  cucumbers ; beds ; pansies ; succulents ; houseplants`

/** Words that say nothing about a thing that the house would not know. */
export const adjectives = `
  icebox|fridge|freezer|cave|dump|dungeon of a|an ;
  big|main|little|small|old|new|bloody|damn|damned|darn|freaking|friggin|stupid|lovely|nice|blooming|flipping|flippin|poor|overhead|front|back|rear|garden|bright|window|wall|ceiling|standing|reading|corner|bedside|desk|table|floor|wee|good|own|whole|same|actual|entire|smart|electric|left|right|outdoor|outside|indoor|inside|exterior|interior|existing|annoying|silly|precious|dear|favourite|favorite|ol|crappy|noisy|loud|cold|awful|terrible|respective|wretched|bleeding|blasted|ruddy|automatic|electronic|roller|relevant|proper|usual|different|large|tiny|tall`

/** Titles and sorts of media: a wish for a certain one. */
export const titleWords = `
  song|songs|album|albums|artist|playlist|playlists|jazz|rock|pop|classical|country|blues|hip_hop|rap|reggae|techno|metal|folk|opera|disco|soul|funk|beatles|queen|beethoven|mozart|bach|sinatra|abba|frozen|podcast|podcasts|audiobook|christmas_carols|christmas_songs|christmas_music ;
  lullaby|lullabies ; spotify ; bbc ; radio one|two|three|four|five|six|1|2|3|4|5|6|scotland|wales|ulster ;
  classic fm ; capital fm ; netflix ; youtube ; news|headlines ; the news ; cartoon|cartoons ; documentary ; musical ;
  something|anything|stuff|songs|music|some by|from|of|like ; concert ; carols ; trad ; symphony ; episode ; band ;
  piano ; guitar ; the football|footie|rugby|cricket|match ; soundtrack ; series ; k pop ; edm ; salsa ; dance ;
  chill|ambient|relaxing|upbeat|calm|soft|gentle|party|instrumental|workout|dinner|cooking|romantic|soothing|quiet|happy|funky music|tunes|songs ;
  lo fi ; lofi ; bossa nova ; station ; fm ; am`

/** What is shown: "the film" is the media that shows it, when it is paused or stopped. */
export const showWords = `film|films|movie|movies|show|video|programme|program|song|track|playlist|podcast|album|audiobook|news|cartoon|cartoons|episode|concert|dvd|noise|racket|sound|din`

/** Things that the house does not have. */
export const otherThings = `
  hide and seek ; twenty questions ; noughts and crosses ; rock paper scissors ; a? quiz|trick ;
  fan|fans|oven|stove|cooker|hob|kettle|toaster|microwave|fridge|freezer|refrigerator|dishwasher|dryer|drier|washer|coffee|tea|espresso|vacuum|hoover|robot|roomba|lawnmower|mower|alarm|alarms|timer|timers|reminder|reminders|doorbell|camera|cameras|lock|locks|door|doors|window|windows|gate|gates|phone|phones|cellphone|laptop|computer|pc|printer|tablet|ipad|iphone|console|xbox|playstation|game|games|wifi|internet|router|network|bluetooth|charger|plug|socket|outlet|humidifier|dehumidifier|purifier|aircon|ac|conditioner|conditioning|ventilation|ventilator|extractor|tap|taps|faucet|shower|bath|sink|toilet|pump|pool|fountain|jacuzzi|sauna|immersion|iron|hairdryer|blanket|fire|fireplace|stove|candle|candles|grill|barbecue|bbq|car|bike|charging|trash|bin|bins|rubbish|garbage|dishes|laundry|clothes|shopping|grocery|groceries|list|milk|bread|eggs|pizza|dinner|lunch|breakfast|supper|food|recipe|weather|forecast|rain|snow|traffic|news|email|emails|mail|message|messages|text|call|calendar|meeting|appointment|taxi|cab|uber|bus|train|flight|money|bill|bills|price|homework|book|books|dog|cat|volume|lamb|lambs|chair|sofa|couch|bed|carpet|drawer|cupboard|cabinet|fridge|box|bag|bottle|cup|glass|glasses|shoes|shoe|socks|sock|keys|key|coat|hat|newspaper|elevator|lift|awning|tent|umbrella|engine|motor|machine|siren|intercom|thermometer|sensor|sensors|detector|switches|button|washing|potatoes|pasta|rice|soup|chips|toast|sausages|bacon|oil|lipstick|makeup|socks|perfume|cream|sunscreen|lotion|trousers|pants|pyjamas|pajamas|salt|sugar|butter|cheese|ketchup|slippers|popcorn|brew|wine|chess|cards|poker|tag|monopoly|scrabble|fetch|trivia|dead|ball|app|apps|song|songs|party|mode|scene|scenes|joke|story|question|answer|word|language|chinese|german|french|english|korean|japanese|tank ;
  air con|conditioner|conditioning|purifier|fryer|freshener|filter ;
  washing|coffee|ice|bread|sewing|answering machine ; alarm clock|system ;
  front|back|side|bathroom|bedroom|kitchen|living room|office|cellar|patio|french|sliding|car|balcony|shed|oven|fridge|cat|dog door|doors ;
  hot water ; christmas tree ; water heater|bottle|bill|pressure|bowl ; gas ; electricity ; power ; mains ; heat pump ;
  light sabre|saber|beer|year|weight|meal|snack ; light bulbs ; music lesson|school|teacher|class|box ;
  curtain call|rail|rod|shop ; blind date|spot|man|people ; tv guide|licence|license|dinner|stand|remote ;
  remote control ; heat wave|stroke ; radio show|presenter`

/** What stands and lies about in a room: "the lamp on the desk" is the lamp. */
export const furnitureWords = `
  desk|sofa|couch|settee|bed|beds|table|wall|walls|ceiling|floor|window|windows|sink|stove|hob|cooker|oven|counter|worktop|island|shelf|shelves|bookcase|bookshelf|mirror|cot|crib|fireplace|mantelpiece|armchair|chair|bench|corner|door|doors|entrance|bathtub|shower|fence|pond|tree|trees|wardrobe|dresser|cupboard|cabinet|cabinets|drawers|piano|steps|bar|headboard|rug|basin|toilet|pool ;
  dining|coffee|dressing|side|bedside|kitchen table ; chest of drawers ; front|back door ; flower|flowers pots|pot`

/** What cannot be done with the things of the house, with the reason. */
export const undoable: readonly (readonly [reason: string, patterns: string])[] = [
  [
    'lights are on or off: they have no brightness',
    `
      dim|dims|dimmed|dimming|dimmer|brighten|brightens|brightening|brightness|brighter|darker|softer|dimly ; undim ;
      less|more|slightly bright|brightly ; not quite? so|as|that|too bright ; half as bright ; to|on low|medium ;
      full brightness ; half brightness ; low light ; more|less light ; a bit|little? more|less light ;
      lower|raise|increase|reduce|decrease the? brightness ; bright as possible ; max|maximum|minimum brightness? ;
      full power`,
  ],
  [
    'lights have no colours',
    `
      blue|red|green|yellow|purple|pink|violet|magenta|cyan|turquoise|orange|rainbow|warm white|colour|color|colours|colors|colored|coloured ;
      a? different|another|nicer|new|warmer|cooler|colder|softer colour|color|tone|hue|shade|glow ; cool white ;
      warm white ; cold white ; white`,
  ],
  [
    'media have no volume here',
    `volume|volumes|louder|quieter ; the|its volume|volumes|sound_level ; sound up|down ; turn it up|down`,
  ],
  [
    'media play or stop: no tracks, no channels',
    `
      channel|channels|skip|skips|skipping|rewind|forward|shuffle|repeat|next|previous ;
      next|previous|last song|track|one|station|episode ; fast forward ; change the? song|track|station|music|radio ;
      go back a song|track ; shuffling ; subtitles`,
  ],
  [
    'covers are open or closed, not in between',
    `
      half way|open|closed|shut|up|down ; halfway ; midway ; part|partly|partially|slightly|partway ;
      half|part|partly|partially|slightly open|closed|down|up|shut ; part way ; a crack ; a third ; one third ;
      by half ; tilt|tilts|tilted|angle ; three quarters open|closed|down|up|of? the? way ; a little bit? open ; ajar ;
      inside out ; upside down`,
  ],
]
