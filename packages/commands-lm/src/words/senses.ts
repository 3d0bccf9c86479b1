/**
 * What people say of themselves and of a room when they want something done: cold, dark, off to bed.
 * @module
 */

/** What somebody feels or is about to do. */
export type Sense =
  | 'cold'
  | 'hot'
  | 'dark'
  | 'bright'
  | 'sun'
  | 'glare'
  | 'loud'
  | 'thirsty'
  | 'leaving'
  | 'sleep'
  | 'home'
  | 'film'

/** Phrases for each. */
export const senseWords: Readonly<Record<Sense, string>> = {
  cold: `
    turned|turning|gone|going to ice|blue ; a chill creeping|in|coming|about ; lips are|is? going|turning|gone blue ;
    take|takes|get the chill|edge|nip off|out_of ; could do with a? fire|blanket ; too much cold ;
    some|a_bit_of|a_little|bit_of warmth in|for ; colder than ; chill|nip|bite in the air|place ;
    there is|'s a chill|nip ; a real|bit_of_a|nasty|terrible chill ; a|such_a chill|draught|draft in? here ;
    can not feel my|me fingers|toes|feet|hands|nose|face ;
    another|a|extra|more|my|thicker jumper|sweater|cardigan|blanket|coat|fleece|scarf in|on|to? ; woolly socks ;
    not very|at_all|exactly|particularly|really|properly|remotely? warm at_all? ; never gets|get|is warm|hot ;
    temperature is|'s in_here? too|so|very|awfully|far_too|way_too low ;
    too|so|very|awfully|far_too|way_too low a_temperature? in here ; isnt it cold ; lost all feeling in ; my breath ;
    wrapped in a? blankets|blanket ; catch a cold|chill|my_death in|if|like ; perished|foundered with cold? ;
    like|as|a|an an|a|the? fridge|freezer|igloo|icebox|refrigerator|siberia|antarctica|north_pole|iceberg|icicle|icicles in_here? ;
    brass_monkeys ; like ice ; i|we freeze|freezes ;
    cold|col|freezing|freezin|frezing|chilly|chilli|chilled|nippy|frozen|icy|frosty|shivering|shiver|baltic|parky|perishing|perished|nithered|brass_monkeys|arctic|bitter|bitterly|frigid|wintry|draughty|drafty|shivery|goosebumps|icicles|brrr|brrrr|brr|foundered|foonert|starved|taters|coldish|coolish ;
    teeth are|is? chattering ; teeth chattering ; on the chilly|cold|cool|nippy|fresh|parky side ; goosebumps|goose_bumps all over|up ; need|needs warming up? ; blocks of ice ; block of ice ;
    not warm enough ; not very|too|so|hot|exactly warm ; chilled to the bone ; numb|blue with cold? ;
    catching a cold in here ; my death of cold ; see my breath ; see my own breath ; goose bumps ; ice cold ;
    stone cold ; freezing cold ;
    too|so|very|quite|bit|really|awful|getting|feeling|feels|feel|bloody|fairly|kinda|kind_of|rather|pretty cool ;
    could do with warming up ; could be warmer ; wish it was|were warmer ; would like it|to be warmer ;
    want it|to be warmer ; want to be warm|warmer ; need to warm|be warm up? ; need warming up ; i need some? warmth ;
    warm me up ; warm us up ; it warmer ; it warm ; turning blue ; frostbite ; popsicle ; hypothermia ;
    not hot enough ; feeling the cold`,
  hot: `
    what a scorcher ; such|this|that heat is|'s unbearable|killing|awful|terrible|too_much|horrible|unreal ;
    heat is|'s unbearable|killing|awful|terrible|too_much|horrible|unreal me|us? ;
    can not stand|bear|take|cope_with this|the heat ; roasted|melted|cooked|fried|baked|boiled|toasted|scorched ;
    about to melt|boil|faint|pass_out ; cook an egg ; fry an egg ; melt|melts|bake|boil|roast in here ;
    like the tropics ; not cool at_all|enough ; sweat|sweats|sweated ; hot as hell ; need some? fresh air ;
    too much hot|heat ; temperature is|'s in_here? too|so|very|awfully|far_too|way_too high ; have no air ; airless ;
    like|as|a|an an|a|the? oven|sauna|furnace|greenhouse|sahara|desert|volcano|bakery in_here? ;
    hot|boiling|roasting|sweltering|baking|melting|sweating|sweaty|scorching|stifling|stuffy|toasty|overheating|overheated|burning_up|sweltry|steaming|tropical|muggy|clammy|scorcher|boilin|roastin|meltin|swelterin|sweatin|burnin|sticky|sizzling|warmish|suffocating ;
    too|so|very|quite|bit|really|awful|awfully|getting|feeling|feels|feel|bloody|fairly|kinda|kind_of|rather|pretty|far_too|way_too|much_too|over warm|toasty ;
    need|needs cooling down|off? ; not cool enough ; burning up ; sweating buckets|like_crazy|like_a_pig|like_mad ;
    cooking in ; like an? oven|sauna|furnace|desert|sahara ; dying of heat ; the heat is killing|unbearable ;
    could be cooler ; wish it was|were cooler ; want it|to be cooler ; cool me|us down ; want to cool down ;
    need to cool down ; it cooler ; heatstroke ; heat stroke ; boiled alive ; dripping with sweat ;
    not coping with the heat ; greenhouse ; sahara ; hotter than hell`,
  dark: `
    see what i|we am|are|'m|'re|is doing|reading|writing|sewing|cooking|making|cutting|looking|eating|wearing ;
    in the pitch? dark|black|gloom ; need|want|got|have to see what|where|properly|better|clearly ;
    can not see my|me own? hand|hands|face|nose|feet in front of my|me|your face|nose|eyes? ;
    who 's|has put|turned the sun out ; shed some|a_bit_of|a_little|more light ; more light on|in this|here ;
    can not read|write|sew|knit|cook|work|find|work_out|make_out|tell my|the|a|anything|what|this|where ;
    as? dark as|like a? cave|dungeon|night|tomb ;
    is|'s|am|getting|feels a_bit|bit|rather|quite|pretty|very|too|so|a_little|awfully? dim ;
    bit|little of light would help|be|do|not ; bumping into ; tripping over ; groping|fumbling around|about ;
    like midnight ; too|so little light ; not enough light to|in|for|here ;
    scared|frightened|terrified of|in the dark ; sitting|sat|stuck|standing in the dark|darkness ;
    dark|gloomy|murky|pitch|dingy|shadowy|pitchblack|darkish|dusky|gloom ; pitch black|dark|darkness ;
    is|'s|am|bit|very dim ; so|too|very|really|quite|bit dark|dim ; black as ;
    can|could not|nt|hardly|barely even|really? see a|my|what|where|anything|thing|nothing|me|any|much|well|the|in|here|properly|past|it|jack|nothing|clearly|enough|my|how|if|in_front ;
    can|could hardly|barely|scarcely see ; can not see ; hardly|barely see a|anything|thing? ; could not see a thing ;
    see nothing ; see a blessed|bloody|damn|damned|flipping|single thing ;
    i|we|just|still|really? need some|more|a_bit_of|a_little? light ; need some|more light ;
    could use|do_with some|more|a_bit_of|a_little light ; could do with some|more|a_bit_of light ;
    could use some|more|a_bit_of|a_little light ; some|more light would be nice|good|great|lovely|helpful ;
    not enough light ; more light ; too little light ; no light in here ; it 's black ; blind as a bat ;
    like a cave|dungeon|tomb|mine|coal_mine|coalmine ; need more light ; want some|more light ; not bright enough ;
    not light enough ; straining my eyes ; squinting in the dark ; like in a cave ; black hole ; darker than ;
    got no light ; left in the dark ; in the dark ; afraid of the dark ; bit of light would|to ;
    brighten it|this|the up? place|room ; make it brighter ; see my hand|book|knitting|nose ; find my way ;
    getting dark ; bit darkish ; in darkness ; darkness`,
  bright: `
    want|like|prefer|need|love it|this_room|the_room|here dark|darker ;
    get|getting|have|giving a|me_a|got_a headache|migraine from|with the|this|that|all_this light|lights|brightness ;
    light|lights hurts|hurt|is|are|'s hurting|killing|blinding|in? my|me eyes ;
    eyes are|is? sore|watering|burning|streaming ; shield my eyes ;
    this|the brightness is|'s killing|hurting|blinding? ; too|so much light ; all this|that|the light ;
    can not sleep|see with|for all? this|the|that light ;
    too|so|way_too|far_too|much_too|very|bit|bit_too|really|super|extremely|awfully|awful|terribly|ridiculously|insanely|overly|dead bright|light|sunny ;
    bright ; blinding|dazzling|dazzled|glaring|glare|blinded ; hurting|hurts|hurt my|me eyes ;
    my eyes hurt|are hurting ; eyes are hurting ; blinding me|us ; squinting ; need sunglasses ;
    need my? sunglasses|shades in here ; too much light ; light is|'s too bright|blinding|killing|hurting ; it darker ;
    brightness is killing ; killing my eyes ; burning my eyes ; over bright`,
  sun: `
    few rays of sun|sunshine|sunlight|daylight|light ; how|what about some? natural|day|sun light ; how|what about some? daylight|sunlight|sunshine|sun ;
    not a|any scrap|bit|ray|hint|drop of? daylight|sunlight|sun|sunshine|light|natural_light getting|coming|in|into? ;
    love|like|want|need|have|get|with a_few|some|the_sun|sun|the_suns rays in|here? ;
    some|bit_of|a_little natural light|daylight|sunlight|sunshine? ;
    shame|pity to keep|shut|block all? that|this|the lovely|beautiful|gorgeous? sun|sunshine|sunlight|light|daylight out ;
    let the? sun|sunshine|daylight|sunlight|day in? into|to|inside? ;
    such a glorious|lovely|beautiful|sunny|gorgeous day let ;
    let|lets|get|have|want|need|love|like|bring|fancy|use|with|enjoy us|me? some|a_bit_of|a_little|the|in|in_some|in_the|more|a_bit_more|a_bit_of_the|a_little_bit_of|a_ray_of|a_drop_of|bit_of? natural|day|morning|bright? sun|sunshine|sunlight|daylight|sun_light|natural_light|sun_shine|day_light|sunbeams into|inside|come|through|shine|in|pour|stream in|into|here? ;
    let in? some|a_bit_of|a_little|in|more|the? light in|inside|into ;
    some|bit_of|little sun|sunshine|sunlight|daylight|natural_light ; brighten the place|room up with sun`,
  glare: `
    sun|sunlight|sunshine keeps|is|'s|comes|pours|shines? slapping|hitting|pouring|beaming|blazing|streaming|coming|shining|getting|straight me|us? right|straight|full|directly? in|into|on|at the|my|me|our|his|her|grandpas|grandmas|grandpa|grandma|everyone face|eyes|eye|'s_eyes ;
    sun is|'s in baby|babys|kids|everyones 's? eyes|face ; the sun full|right|straight|bang|square in|on|into my|our|the|me face|eyes|screen ;
    sun|sunlight|sunshine is|'s|keeps|comes|shines? really|just? bothering|annoying|bugging|distracting me|us ;
    sun|sunlight is|'s|keeps? beating|shining|coming|streaming|glaring|reflecting|blazing|pouring down|right|straight|directly|off|onto|on|in|through? down|right|straight|directly|off|onto|on|in|at|to? the|my|our|me|this|us desk|screen|telly|tv|monitor|laptop|television|computer|face|bed|pillow|eyes ;
    shade|shield|hide|protect me|us|my_eyes from the? sun|sunlight ;
    sunlight|sun on|off my|the screen|desk|tv|telly|monitor ; sun out of|off here|this_room|the_room ;
    sun|sunlight|sunshine is|'s|keeps|hits|shines|was? right|shining|really|just|still|straight|directly? right|shining|blinding|dazzling|glaring|getting|beating|straight|burning|coming|hitting|killing|directly? in|into|on|down_on? my|me|our|us|mah|the? face|eyes|eye ;
    sun is|'s right|really|just|totally|properly? blinding|dazzling|killing|annoying|bothering|glaring me|us|so|too_bright|at_me ;
    sun in my|me|our|mah face|eyes|eye ; sun|sunlight|sunshine is|'s too|so strong|bright|much|harsh|hot|low ;
    blinded|dazzled by|with the sun|sunlight|sunshine ; too much sun|sunshine|sunlight ;
    block|keep|shut out? the? sun|sunlight|sunshine out|off? ; sun out of|off my|me|our? eyes|face|here|eye|screen ;
    sun glare ; glare of|from the sun ; sun blinds|dazzles me|us ;
    glare on|off the|my screen|tv|telly|monitor|desk|laptop|computer ; low sun ;
    can not see because|for|with of? the? sun ; can not see my|the|me screen|telly|tv|monitor|laptop ;
    reflection|reflections|glare on|off? my|the|me screen|monitor|tv|telly`,
  loud: `
    the|this|that|awful|terrible|horrible|dreadful|such_a din|racket in_here? ; awful|terrible|horrible|dreadful noise in_here? ;
    what a racket|din|noise|row that|the radio|telly|tv|music|stereo 's|is making ;
    an? awful|dreadful|terrible|right|horrible|infernal racket|din|noise|row ;
    about|of|with|by the|that|this|all_that noise|racket|din from|in|of? ;
    a? racket|din that|the radio|telly|tv|music|stereo 's|is making ; some|a_bit_of|a_moment_of quiet|silence|hush ;
    quiet|silence in here ; no noise ; hurting my ears ; is|are|'s deafening|blaring me? ; blaring ; noise level ;
    loud|noisy|deafening ; too|so|way_too|far_too|much_too|bit|very|really|awful|awfully|bit_too loud|noisy ;
    be|keep|stay quiet|silent|quieter|still ; quiet ; quiet already|please|down|in_here|you ; silence ; be quiet ;
    shut up ; shush|hush|shh|shhh|sh|ssh|sshh|wheesht|whisht|haud_yer_wheesht ;
    hear myself|my_own think|thoughts|myself|talk|speak ; hear you over ; too much noise ;
    stop|cut|quit|enough of? that|the|this|with|your? noise|racket|din|row|noises|clamour ; stop the noise ;
    pipe down ; keep it|the noise down ; noise is|'s killing|driving|unbearable|getting ; peace and quiet ;
    a bit of peace ; some peace ; bit of hush|shush|quiet ; my ears|ear hurt|are|hurts|ringing? ;
    ears are|hurt bleeding|ringing? ; ear splitting ;
    can|could not|nt|hardly|barely even? hear|concentrate|think myself|you|my|anything|a_thing? think|talk|own? thoughts? ;
    hear myself ; such a racket ; what a racket|noise|din ; that racket ; deafened ; simmer down ; keep quiet`,
  thirsty: `
    would not|nt say_no|mind to? a drink|some_water|a_drop|watering ; could use|do_with a drop|splash|sip ;
    no have|get water ; all sad and dry ; not|no water|watered for|in|many days|weeks|day|week ;
    thirsty|dying|parched|wilting|wilted|droopy|drooping|dried_out|shrivelled|shriveling|shrivelling|withering|withered|gasping|dehydrated|crispy|bonedry|thirst ;
    look|looks|looking|is|are|'s|bone|so|very|too|really|quite|bit|getting|getting_a_bit|gone|fierce|awful|all|awfully|terribly|pretty|rather|kinda dry ;
    dry ; bone|very|really|too|so|completely dry ; dying of thirst ;
    need|needs|want|wants a? good? drink|water|watering|soaking|rain ;
    could do_with|use a_drink|a_drop|some_water|water|some_rain|watering|a_good_soak|a_bit_of_water|a_soaking|a_soak|a_watering ;
    want for? water ; crying out for water|a_drink|some_water ; going|turning|gone|turned brown|yellow ;
    want of water ; lack of water ; begging for water|a_drink ; brown and dry ; drying out|up ;
    in need of water|a_drink|watering|some_water|a_good_soak ; gasping for a_drink|water ; starting to wilt|droop ;
    not been|had watered|water|any_water ; has not rained in|for ; on their last legs ; desperate for water ; desert ;
    wilt`,
  leaving: `
    i|we have|'ve left for? the|my|our? holidays|holiday|house|home|airport|weekend|station|office|work|school|building ;
    time for me|us to head|go|leave|be ; catch you later|tomorrow|soon ;
    i|we go|goes to work|school|town|the_shops now? ;
    time for me|us to go|leave|head|be to|off|out|going? work|school|the? shops|shop? ; going to be home|in later? ;
    off i|we pop|trot|toddle ; running late|errands ; hitting the road ; making a move ;
    need|have to be? get|head|run to the? work|school|shops|shop|office|airport ;
    out for the day|evening|night|afternoon|weekend ; leave for work|school|the_airport|home ;
    away for a|the|two|three|a_few|some week|weekend|night|day|days|nights|weeks ;
    off i|we|'m go|off|goes|went now|then|to_work|to_school|to_bed? ;
    off|of to|too|for|out|on|down the|my|me|our|a? work|school|town|shops|shop|office|gym|holiday|holidays|church|college|uni|class|beach|pub|airport|vacation|practice|football|nans|supermarket|party|meeting|doctor|dentist|cinema|movies|store|mall|pool|run|walk|match|market|wedding|bus|train|station|hospital ;
    i|we am|are off|of then|now|out|home|away|home_to? ;
    leaving|leavin the|for|this? house|home|now|work|school|day|then|here|everyone|town|soon|holiday|office|building|vacation|place ;
    leaving ;
    heading|headed|going|popping|nipping|stepping|setting|running|shooting|driving|clearing|slipping|walking|taking off|out|away the_door|now|then|for_the_night|for_the_evening|for_dinner|for_a_walk|for_a_bit|for_a_while|the_house|for_the_day|for_lunch|for_dinner? ;
    heading|headed|going|popping|nipping|stepping|setting|running|shooting|driving|dashing|rushing out|off|over|down|in? to|on|for the|my|our|a? work|school|town|shops|shop|office|gym|holiday|holidays|church|college|uni|class|beach|pub|airport|vacation|practice|store|mall|supermarket|party|cinema|movies|nans|walk|run|dentist|doctor|doctors ;
    away|awa out|to|now|then|off to? the? shops|work|school|town|pub|door|store? ; that 's|is me|us away|off ;
    bye bye bye? now|house|everyone? ; see you|ya later|soon|tonight|tomorrow|then|house|everyone|all|alligator? ;
    goodbye|bye|cheerio|farewell|tata|toodles|laters|ciao|adios house|home|everyone|all|now|then? ; good bye house? ;
    ta ta|ra now? ; toodle pip ; so long house|home|everyone? ; out the door ;
    on my|our way out|to_work|to_school|now? ; about to leave|head_out|go_out|set_off|go ;
    have|got|need|must|time to|be? go|run|dash|leave|fly|off|head to|for|out|now|off? work|school|town|now? ;
    must dash|be_off|run|fly ; time to go|leave|head to|for|out|off? work|school? ;
    will|'ll be out|away|gone for|all|the? day|weekend|a_while|bit|the_day|evening? ;
    nobody|no_one 's|is|will|'ll be? at|in home? ; nobody|no_one is|'s|will_be home|in ; lock up and go ; out of here ;
    heading for the door ; i|we am|are|'m|'re off|out ; i am|'m away ; we are|'re away`,
  sleep: `
    time for me|us to sleep|turn_in|retire|hit|go|nod_off ; night night ; i|we? want|need|like to? sleep now? ;
    now i|we want sleep ; i|we go to? sleep|bed now? ; going|ready|about to crash|conk_out|pass_out|collapse|zonk_out ;
    sleepy time|head ; heading|going|off|away up|upstairs to bed|sleep ; going up to bed ;
    retire|retiring for|now|to? the? night|bed|evening? ; ready for bed|my_bed|sleep|a_sleep ;
    having|taking|have|take a|my|an? early? nap|snooze|lie_down|kip|siesta|night ; shut eye ; i need|want my bed ;
    can not keep my eyes open ; bed calls|beckons|is_calling ; tucked|tucking in|up now|for? ; in bed now|already ;
    put|putting my head down ;
    good night|nite|nighty|nigt everyone|house|everybody|all|kids|love|then|sleep_tight|night|my_darling? ;
    goodnight|gnight|gnite|nighty|nightnight|goodnite|gdnight everyone|house|everybody|all|then? ; g night ;
    night night night? all|everyone|then|house|love? ; night all|everyone|house|then ; nighty night ; nite nite ;
    sleep tight|well ; sweet dreams ;
    off up? to|for my|me? bed|sleep|dreamland|land_of_nod|the_land_of_nod|nap|a_nap|beddy_byes ;
    going|heading|headed|gonna|away|climbing|crawling|getting|popping|ready|went|go|goin|toddling|snuggling up|off|on? to|in|into|for my|me|the? bed|sleep|lie_down|night|bye_byes|beddy_byes|land_of_nod ;
    turning|turn in for|now|then|early? the? night? ; in to bed ; hit|hitting the hay|sack|pillow|sheets ;
    time for|to my|me|go_to? bed|sleep|bye_byes ; bed time now? ; bedtime for|now? me|us|everyone|kids|the_kids|all? ;
    about to sleep|go_to_bed|go_to_sleep|fall_asleep|turn_in|nod_off ;
    time i|we|you went|was|were|go to|in|off bed|sleep|to_bed ; to my|me bed ; am in bed now? ;
    need|want|have|must|try|trying|got|like to sleep|go_to_bed|go_to_sleep|get_some_sleep|kip ; we are sleeping ;
    falling asleep ; calling|call it a night|day ; am|'m so|very|really? sleepy|knackered ;
    lights out everyone|everybody|time|kids ; done for the|tonight day|night? ; get some sleep|shut_eye|kip|rest ;
    bed now ; to bed now|with_me ; catch some zs|sleep`,
  home: `
    made|making it home|back ; i|we have|'ve made it home ;
    just|have|'ve walked|come|got|stepped|landed in|home|through|back the? door? from? ; walked in the? door? ;
    guess|look who 's|is home|back|here ; made it home ; home from|safe the? work|school|office|shops|and_sound? ;
    i|we have returned|landed|arrived|made_it ;
    i|we am|'m|are|'re back|home|in now|again|at_last|early|everyone|everybody|finally|safe|already? from? work|school|town|holiday|shopping|the_shops|the_gym|vacation|college? ;
    am|are back|home again|at_last|now|early|from? work|school|shops|town|the_shops? ;
    back home|from|in|again|at now|from|again|house|work|school|shops? work|school|the_shops? ; back again ;
    home again|at_last|sweet|now|from|already|time home|work|school? ; honey i am home ;
    got home|back|in just|from|safely|now|early? work? ;
    just|am|have|'ve got|came|walked|arrived|come|gotten|stepped in|back|home|through from? work|school|the_door? ;
    here i am|we_are ; home sweet home ; i|we have|'ve? arrived home? ; arrived|returned home? ; walking in the door ;
    coming|come|came home|in|back now|from? ; i am in`,
  film: `
    we|i feel|are|am|fancy like|in|up a|for_a|the_mood_for_a film|movie|flick|thriller|western|comedy ;
    shall|let|how_about|what_about we|us watch|see a|the|that|some new|old|nice_old|nice|good|classic? comedy|horror|action? film|movie|thriller|western|comedy|show|series|episode ;
    time for a flick|film|movie|show ;
    curl|snuggle|settle|cuddle up|down with|to|for|in_front_of a|the|some good|nice|old? film|movie|telly|tv|flick ;
    watch|see that|the|a|some new|old|good|nice|classic? thriller|western|comedy|sitcom|episode|musical ;
    in the mood for a western|film|movie|thriller|comedy|flick ;
    watch something|a_movie|a_film|the_match|the_game|tv|telly ;
    watch a|my|our|the|some match|game|race|film|movie|telly|tv|show|shows|programme|soaps|soap|box ;
    watch something|telly|tv|netflix ;
    fancy|like watching something|telly|tv|netflix|a_match|a_game|a_film|a_movie|the_match|the_game|the_film|some_telly|some_tv|a_show|my_show|my_programme ;
    some telly|tv time ;
    watch|see a|some|the|one|that|something|our|my|another|an|two? old|scary|nice|good|new|family|funny|christmas|horror|disney|action|romantic? film|movie|flick|picture|video|telly|tv|netflix|series|show|movies|films|match|programme|one|news|football|cartoon|cartoons|game|episode ;
    watch something on_tv|on_telly|good|nice? ; film|movie time|night|o'clock|oclock|marathon now? ;
    time for a|the film|movie ; fancy a film|movie ; put a|the film|movie on ; put on a|the film|movie ;
    start|play a|the|our film|movie`,
}
