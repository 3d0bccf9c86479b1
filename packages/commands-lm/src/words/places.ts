/**
 * Words for places: the areas of a house, groups of them, and places that no house of ours has.
 * Patterns: `a|b` is one of them, `?` makes a word optional, `;` separates patterns.
 * @module
 */
import type { CommandArea } from '@flow-service/protocol'

/** Words for each area. */
export const areaWords: Readonly<Record<CommandArea, string>> = {
  living_room: `
    living|leaving|livin|live_in room|rooms|area|space ; livin room ; living ; lounge|lounges ;
    sitting|siting|sittin room ; front room ; family room ; parlour|parlor ; great room ; telly|tv|television room ;
    drawing room ; salon ; lr ; living rm`,
  kitchen: `kitchen|kitchens|kitch ; kitchenette ; kitchen area ; cooking area ; cook room`,
  bathroom: `
    bathroom|bathrooms|bafroom ; bath room ; washroom ; restroom ; john ; bog ; powder room ; wet room ; shower room ;
    toilet ; loo ; lavatory ; bath ; lav ; wc`,
  bedroom: `
    bedroom|bedrooms ; bed|bad room ; master bedroom|bed|suite? ; main bedroom ; bed chamber ; sleeping room ;
    boudoir ; my|our|your bedroom`,
  office: `
    office|offices ; home office ; study|studies ; work room ; workroom ; workspace ; work space ; studio ; home study`,
  garden: `
    garden|gardens ; back|front garden ; yard|yards ; back|front yard ; backyard ; lawn|lawns ; grass ;
    flower|flowers bed|beds ; flowerbed|flowerbeds ; vegetable|veggie|veg|vegie|vegetables patch|garden ;
    front|back lawn ; garden bed|beds ; borders`,
  patio: `patio|patios ; terrace|terraces ; deck ; decking ; back patio|terrace|deck`,
  garage: `garage|garages`,
  driveway: `driveway|driveways|drive_way|drive-way ; drive ; front drive|driveway ; driveway area`,
  balcony: `balcony|balconies`,
}

/** Places that people speak of and no house here has. */
export const otherPlaces = `
  hall|halls|hallway|hallways|hal ; entrance hall? ; entryway ; entry ; foyer ; lobby ; corridor ; landing ;
  stairs|stair|stairway|staircase|stairwell ; upstairs ; downstairs ; up|down stairs ; attic ; loft ; cellar ;
  basement ; nursery ; kids|childrens|children|child|kid|boys|girls|baby 's? room|bedroom ; playroom ; play room ;
  game|games room ; guest|spare|second|other|box room|bedroom ; guestroom ; boxroom ; dining room|area ; diningroom ;
  laundry room? ; utility room? ; pantry ; larder ; mudroom ; mud room ; sunroom ; sun room ; conservatory ;
  greenhouse ; green house ; shed ; workshop ; barn ; stable ; porch ; front|back porch ; gym ; library ; music room ;
  cinema ; home theater|theatre|cinema ; media room ; closet ; wardrobe ; cloakroom ; storage|store room? ; storeroom ;
  pool ; pool house|room|area ; sauna room? ; hot tub ; jacuzzi ; veranda ; verandah ; lanai ; roof ; rooftop ;
  roof terrace ; gate ; street ; alley ; summer house ; summerhouse ; guest house ; annex ; annexe ; mezzanine ; bar ;
  wine cellar ; first|second|third|ground|top floor ; vestibule ; den ; carport ; car port ; ensuite ; en suite ;
  my|his|her|your|moms|dads|mums room ; walkway ; path ; pathway ; breakfast nook|room ; rec room ; man cave ;
  bonus room ; craft|sewing room ; gazebo ; pergola ; chicken coop ; coop ; dungeon ; fish tank ; aquarium ;
  neighbour|neighbor|neighbours|neighbors 's? house|garden|yard? ; caravan ;
  front|back|side|rear|top of? the? house|building|property|home ; church ; school ; shop ; classroom ; hospital ;
  airport ; meeting|conference|waiting room ; car ; truck ; van`

/** All areas, those in the house, those that were not named before, those outside. */
export const groupWords = {
  all: `
    the place ; everywhere ; every where ; all over ;
    all over|around|through|throughout|round the? whole? house|place|flat|apartment|home? ; throughout ;
    throughout the? whole? house|place|flat|apartment|home ;
    in|of|across|around|through|over the? whole|entire house|place|flat|apartment|home|building ;
    the? whole|entire house|place|flat|apartment|home|building|lot ; all of the house ;
    in|of|around|across the|my|our|this house|flat|apartment|home|place|building ; house|home wide ; housewide ;
    the|my|our|this|whole house|home|flat|apartment|household|property ;
    in|for every|all|each of? the? single? room|rooms ; every|each|all of? the? single? room|rooms|area|areas ;
    all rooms ; in all the rooms ; anywhere ; every one|single one ; inside and out|outside|outdoors ;
    indoors and out|outdoors|outside ; all around ; in the whole place ; every area|zone ; all zones`,
  in: `
    inside the? house|flat|home? ; indoors ; indoor ; in doors ; everywhere inside|indoors ; all over inside ;
    interior ; inside ; all indoor rooms|areas ; every room inside|indoors ; all the rooms inside|indoors ;
    all inside ; within the house`,
  rest: `
    the? rest of the|my|our? house|home|flat|apartment|place|rooms|areas|building ; other|remaining rooms|areas ;
    every|each|all|any of? the? other room|rooms|area|areas ; everywhere|anywhere else ; all the? other rooms|areas`,
  out: `
    out there ; outside ; outdoors ; outdoor ; out doors ; out of doors ; everywhere outside|outdoors ; exterior ;
    all over outside ; out here everywhere ; outside the|of house|home ; outside of the house ; every outdoor area ;
    all outdoor areas`,
} as const

/** Where the speaker is. */
export const hereWords = `
  here ; the room ; in|right|over|up|down|out here ; in hear ; right in here ; out here ;
  this room|place|space|area|one|spot ; in this room|place|space|area ; where i am ; where i happen to be ;
  wherever i am|happen to_be? ; where i am now|sitting|standing|working ; in|into the room ; the room i am in ;
  in the room i am|'m in ; in the current room ; current|same room ; the current|present room ; from in here ;
  me hear|here`

/** Where the last thing was that somebody spoke of. */
export const thereWords = `there ; in|over|up|down there ; in|for that room ; same room|place ; in the same room|place ; its`
