/**
 * The words between the things: wishes, negations, corrections and the small words, with the courtesies and the talk around.
 * @module
 */
import { courtesyWords } from './courtesies.ts'
import { talkWords } from './talk.ts'

/** What a phrase does in a sentence. */
export type PhraseRole =
  | 'polite'
  | 'filler'
  | 'wish'
  | 'modal'
  | 'dont'
  | 'not'
  | 'corr'
  | 'cancel'
  | 'cond'
  | 'because'
  | 'subject'
  | 'cop'
  | 'aux'
  | 'ask'
  | 'and'
  | 'but'
  | 'then'
  | 'same'
  | 'except'
  | 'now'
  | 'one'
  | 'it'
  | 'them'
  | 'everything'
  | 'quant'
  | 'det'
  | 'prep'
  | 'clock'
  | 'vague'
  | 'relative'
  | 'called'
  | 'call'
  | 'to'
  | 'goalong'
  | 'contrary'
  | 'told'
  | 'some'
  | 'only'
  | 'others'
  | 'owned'
  | 'lot'
  | 'remaining'
  | 'excepted'
  | 'mustnot'
  | 'self'
  | 'quoted'

/** Phrases by what they do. */
export const phraseWords: Readonly<Record<PhraseRole, string>> = {
  ...courtesyWords,
  ...talkWords,
  wish: `
    is|are there any? chance|possibility|hope of a|some? ;
    what i|we would love|like|prefer is for|to_have|to_see|to_hear? ;
    what i|we want|need is for|to_have|to_see|to_hear? ; it is|'s about|high? time that? ; about|high time ;
    i|we would be|feel much|a_lot|far|so? more|? comfortable|comfy|cosy|cosier|cozy|cozier|happier|better with|at ;
    let me|us hear|have|listen_to|enjoy some|something? on|of|from? ; could|can|may|might ;
    i|we would|will be|feel so|very|really|most|quite? happy|glad|pleased|happier|content with|to_have|for|if? ;
    it would help|please|suit|delight me|us|her|him? much|greatly|a_lot|no_end? to? have|if|see|with? ;
    would|should really|just|also? love|like|prefer|appreciate|welcome to? have|hear|see|us_to_have? ;
    i|we|they|she|he|everyone|everybody|mum|mom|dad|you|mommy|mummy|daddy really|just|kinda|totally|desperately|only|also|still|so|do|actually|badly|now? want|wants|wanted|need|needs|require|desire|fancy|prefer|demand|crave|request|like|wish|requires|will_want|will_need|shall_need|be_needing to|for? have|hear|get|see|be_having? ;
    i|we|she|he|they would|should|might|d really|just|also|very_much|quite|dearly|rather|kinda|now|much|absolutely? like|love|prefer|want|appreciate|enjoy|have|fancy|adore|welcome|need to? have|hear|get|see|us_to_have|some? ;
    i|we would not|nt mind|say_no_to having|some|hearing|to_have|to_hear|a_bit_of? ;
    would not mind having|some|a_bit_of? ;
    i|we would be happy|glad|pleased|grateful|delighted with|to|for|of have|hear|get? ;
    i feel|'m_feeling like hearing|having? ; i fancy hearing|having|listening_to ; i am in the mood for ;
    in the mood for ;
    i|we am|are|was|were after|wanting|needing|wishing|dying|craving|hoping|looking|thinking|up|longing for|of|to_have|to_hear|to? ;
    i|we will|shall|'ll|would be after|wanting|needing|having ; i|we will|shall also|just? have|take|need|want|get ;
    i|we can|could really|just|sure|also|always|all|both? use|do_with ;
    i|we could all|both|really|certainly? do|use with ; could really|just|sure? use|do with ; could do with ;
    could|can|may|might|shall i|we|us|ya please|perhaps|maybe|just|possibly|also|at_least|ever? have|get|see|hear|enjoy|do ;
    could|can|would you please|maybe? have|get|arrange|give|let for|us|me? have? ;
    lets|let_us|let_me please|just|maybe|all? have|hear|get|see|enjoy ;
    give|gimme|get|grant|lend me|us some|a_bit_of|a_little? ; get|bring some|a_bit_of|a_little ; gimme|gis ;
    it would be so|really|very|quite? nice|lovely|great|good|cool|awesome|wonderful|pleasant|grand|super|fab|ideal|perfect|fun|better|best|brilliant|sweet|nicer|wicked|amazing to|if? have|hear|get|see|with|we_had|there_was|there_were|i_had|we_could_have|i_could_have|we_have? ;
    would|will be so|really? nice|lovely|great|good|cool to have|hear|get|see ; nice to have ;
    it would suit|please|make me|us happy? to|if have? ; it 's|is|would_be better|best with ;
    there should|must|ought|needs|has be|to_be|to ; let there be ;
    how|what about having|getting|some|a_bit_of|a_little|turning? ; who|anyone wants|fancies|fancy ;
    any chance of having|getting|some|a_bit_of? ; i|we must|should|ought|have_to|need_to have|get to? have? ;
    i|we miss|missed ; id like|love ; in need of ; need|want|wants|needs|wanting|needing|fancy ; wish for ;
    i wish|ask for|to_have|to_hear|we_had|i_had|there_was? ; requesting|require|desire ; i am requesting ;
    i|we would have ; i should have ; i|we would rather|sooner|much_rather ; would it be too much to ask for ;
    what i|we|id would? like|love|want|need|prefer is|'s for|to_have|to_see? ; it? 's|is high|about time that? ;
    i|we could|would|'d murder|kill|die for|to_have|to_hear? ; i|we could go for ;
    i|we would be more? comfortable|cosier|cozier|happier|warmer with ;
    i|we feel like hearing|having|listening_to|some|a_bit_of ; i|we am|are in|need the? mood|need for|of ; craving`,
  modal: `
    to be|go|come|get? ; should|must|shall|ought_to|has_to|needs_to|have_to|may ;
    should|shoud|must|may|might|shall|can|could|will|would now|please|probably|really|all|also|both|have|definitely|better? be|go|come|get|turn back|now|all|both? ;
    ought|oughta|oughtta to? be|go|get|come? ; has|have|had got? to be|go|get|come back|now? ;
    needs|need|wants|want|requires|deserves|deserve all|both? to|a|now? be|go|get|come? back|now? ;
    is|are|'s to be|go|come? ; is|are supposed|meant|due to be? ; has|have|had better be|go? ;
    would be|look better|best|nicer|good|great|nice|lovely|perfect|fab if|when? ;
    can|could|may|might now? go|come now|back|please? ; could|can do with ; should now|all? be now? ;
    want|wants|need|needs ; will do with ;
    would do me|us|her|him? nicely|fine|grand|well|good|just_fine|perfectly|lovely|a_treat ;
    would go down a_treat|nicely|well ; would cheer me|us|her|him up ; would be just? the ticket|thing`,
  dont: `
    neither ;
    do|does|did|must|should|can|shall|may|ought|will not|nt you|please? ever|even|be|go|dare|start|need_to|have_to|want_to? ;
    never ever? to? ; not to ; do not you dare|ever|go? ; no need to|for? ;
    there 's|is no need|point|reason to|for|in? ; you? need not|nt ; you do not|nt need|have to? ; you? better not ;
    i|we do|did|would|should not|nt really|actually? want|need|like|wish|mean to|you|for|any? to? ;
    i would rather|prefer you? did|do? not|nt ; i|we would not|nt ; avoid|refrain|refuse from? ;
    it 's|is not necessary|needed|time to|for? ; not necessary|needed to ; please do not|nt ;
    i? forbid|forbidden you? to? ; i hate ; do not|nt let|have|make ; whatever you do do not|nt ; stop trying to ;
    nobody|no_one needs|wants|should|must|may to? ; no longer need|want ; do nothing about|with|to ; on no account ;
    under no circumstances ; do not|nt under_any_circumstances|on_any_account ; i? do not|nt want|need|like you to ;
    i would not|nt want|like you to ; hands off ; you? must|should not|nt ever? ; no point in? ; never ever`,
  contrary: `
    i|we will|'ll|shall|would not|nt be? need|needing|want|wanting|require|requiring ;
    i|we could|can happily|easily|well? do|manage|live without ; i|we want|need|would_like|like|fancy neither ; no ;
    no more|longer ; enough|nuff of|with|now? of|the? ; that 's|is enough|plenty|sufficient of? ; plenty of ;
    i|we do not|nt really? want|need|like|wish any|no|to_have|to_hear? more|longer? ; i|we have had enough of|with? ;
    we are done|finished with ; i|we no longer want|need ; there should not|nt be ; i am done|finished with ;
    lets not have ; we can do without ; i can do without ; i|we can do without|with_no ;
    i|we do not|nt need|want any? ; i|we can not have|stand|bear|take ; i|we have had plenty|more_than_enough of? ;
    i am|'m fed up of|with ; i|we am|'m|are sick|tired of ; no need of|for ;
    i|we have no wish|desire|need|use to|for? have|hear|see? any? more|longer? ;
    that will|'ll do|be with|all|for|plenty|enough? of? ; i|we want|need|would_like neither|no ;
    no more|further need of|for ; no call for`,
  not: `
    not|nt ; and not ; but not ; not in|for|on the? ; rather than ; instead of ; as opposed to ;
    not yet|now|really|today`,
  corr: `
    did i say ; i tell a lie ; that came out wrong ; slip of the tongue ; wrong ; or no ;
    i? wanted|meant|mean|intended to? say|be? ; i should have said ; no|nope|noo|nooo|nah|nay ; no no no? no? ;
    no wait|sorry|actually|hang_on|hold_on|rather|not_that|not_that_one|scratch_that|i_mean|i_meant|make_it|make_that|make_them|instead|better|in_fact|stop|not_there|not_him|correction|it_'s|it_is|my_mistake|just no|sorry|wait|i_mean|i_meant|make_it|make_that? ;
    no no wait|sorry|actually|hang_on|not_that|make_it|make_that|i_mean|i_meant|stop|just no? ;
    sorry no|i_mean|i_meant|make_that|make_it|wrong|that_should_be|it_should_be|i_said|not_that|wait? no|i_meant|i_mean? ;
    soz|sory|oops|oopsie|ooops|whoops|woops|oopsy|apologies i? no|wrong|sorry|mean|meant|wait? ;
    wait no|sorry|wait|stop|a_minute|a_sec|a_second|a_moment? no|sorry|i_mean|i_meant|actually|make_it|make_that? no|not_that? ;
    hold|hang on|up|about|it|fire no|i_mean|i_meant|actually|sorry|wait|not_that? no? ; stop wait|no|not_that|sorry ;
    one sec|second|moment no|i_mean|i_meant|actually|sorry? ; i mean|meant|ment to? say? ; i should say|have_said ;
    what i meant|mean was|is ; that should be|have_been|read ; i said that wrong ; my bad|mistake ;
    scratch|strike|cancel|forget|ignore|delete|disregard that|it|this make_it|make_that|i_mean|i_meant|and? ;
    make|let it|that|them be? a|the|an? ; no? lets make|say it|that ;
    or rather|better|actually|no|wait|sorry|maybe|yet make|that|it|in_fact|no|rather? that|it? ; or? no lets|let_us say ; or make that|it ;
    rather ;
    actually no|wait|make_it|make_that|make_them|i_mean|i_meant|sorry|just|lets_make_it|lets_make_that|better|scratch_that|forget_that|not? no|make_it|make_that? ;
    on second thought|thoughts ; second thoughts ; come to think of it ; correction ; change that|of it|plan to? ;
    i take that back ; not that one? ; better make it|that ;
    oh wait|no|sorry|actually|hang_on|shoot|shit|damn|crap no|sorry|i_mean|i_meant|wait|not_that? no|make_it|make_that? ;
    oh ; ah no|wait|sorry|actually ; well no|actually ; i? 've? have? changed my mind ; just ; or should i say ;
    what i want is ; silly me ; duh ; i misspoke ; excuse me ; pardon me? ; in fact ; not sorry ; er ; instead ; or ;
    actually ; hang on ; that? 's|is wrong|not_right|not_it ; thats wrong|not_right|not_it ;
    wrong one|room|word|thing ; let me rephrase|correct_myself|start_again|start_over ;
    no? i am|was|'m wrong|mistaken ; did i say ; what did i say|want`,
  cancel: `
    forget i spoke|asked|said_it|said_that|mentioned_it ;
    undo that|it|this|please|everything|all_that|all_of_that|the_last_one|my_last? ;
    revert|reverse|delete|erase|wipe that|it|this ; as you were ; i? take it|that|this|all_that|everything back ;
    let me rephrase|reword that|it|this|myself? ; let me start|begin|try that? again|over|afresh ;
    let me say that again|differently ; let us start again|over ; start again|over ;
    ignore|disregard|forget what i just? said|asked ;
    ignore|disregard|forget my last|previous command|order|request|sentence|message? ;
    ignore|disregard all|everything|everything_i_said|all_that|all_of_that ; nvmm|nvmd|nvn|nmv|nevrmind|nvr_mind ;
    no? never mind ; no? forget it|that ; never mind|mind_that|mind_about_that|mind_about_it|you_mind ;
    nevermind|nvm|nevamind ;
    forget it|that|about_it|about_that|what_i_said|everything|i_said_anything|i_asked|the_whole_thing|all_that|i_said_that ;
    cancel|cancell|abort that|it|this|everything|all_of_that|all_that|command|order|my_order|my_last|please|request|the_last_command|the_command|the_order|mission|the_whole_thing? ;
    scratch|strike|scrap|belay that|it|this|order? ; disregard that|it|this|me? ; ignore that|it|this|me|what_i_said ;
    leave it|that at_that|be|alone|so|as_it_is|as_is|then? ; abort abort? ;
    stop|actually|oh|ah|no|nah|wait|sorry? no|actually|wait? forget|cancel|never it|that|mind ; drop it ;
    do not|nt bother ; do not|nt do that|it|anything ; do nothing ; do not|nt ; no do not|nt ; let it be|go|alone ;
    do not|nt worry about_it|about_that? ; no need ; no thanks ; skip it|that ; not needed ; undo that|it ;
    i? take that|it back ; just? kidding|joking ; only joking ; leave everything as it is ; leave them alone|be? ;
    no leave it ; changed my mind leave it ; i? have? already did|done that|it ;
    it|that|they is|'s|are already on|off|open|closed|shut|done|running ; maybe|perhaps|better|probably not ;
    no|nope|nah|not not? yet|now|today|anymore ;
    no|nah|nope|oh|actually it|that is|'s fine|okay|ok|alright|all_right|good|enough ; stop no|stop ;
    no i? have? changed my mind ; changed my mind ; do not do it|that|anything ;
    it|that does not|nt matter|really? anymore|now? ; does not|nt matter ; undo that|it|last|everything? ;
    as you were ; leave it|that|them out ; do not|nt trouble|worry yourself?`,
  and: `
    and|an|annd|nor|plus|nd ;
    and also|then|please|so|now|afterwards|after that|additionally|maybe|as well|with|finally|could you|can you|would you|just|lastly|while you are at it|while you 're at it ;
    as well as ; along with ; together with ; also ; followed by ; then also ; with|wit ; or ;
    and|but then also|too|again|please|just|? ; and for ; besides that ; in addition to? ; in addition ; not only ;
    but also ; likewise|additionally|furthermore|moreover`,
  but: `
    but|buy|yet|however|while|whereas|although|though ;
    but just|only|please|then|also|first|rather|instead|definitely|do|please_do ; on the other hand ; only`,
  then: `
    then|than|so|afterwards|afterward|next|thereafter|finally ; after|following that|this|which ;
    when that 's|is done ; when done ; and then ; straight after ; right after that? ; once that 's|is done ;
    once done ; when you 're|are done|finished with that|it? ; when finished`,
  same: `
    so can|should|does|do|must|could|may|will|shall|would|is|are ; same ;
    the same thing|goes|again|for|please? for|with|in? ;
    do|did|and the? same|likewise|that|this|it|so thing|also|as_well|too|again|for|with|in? ;
    same again|thing|here|goes|there|deal|for|with ; ditto|dito|likewise|similarly for|in? ; so for ; do so ;
    repeat that?`,
  except: `
    the? only? exception is|being|of|? ; that|which are|is not|nt in|on|at|inside? the? ;
    leaving|keeping|sparing|skipping|excluding|omitting only|just|out|in|on|for? ; with|at the? exception of|for ;
    everything|all|anything but ;
    except|excepting|excluding|besides|outwith|barring|bar|minus|sans|but|without|save|accept|expect|omitting|less|excepting_for for|from|in|on|at|not? ;
    only|just not in|on|for|at? ; all but ; not including|counting|in|on|for|touching ; apart|aside from|for in|on? ;
    other than|then in|on|from|for? ; with? the? exception of ; save for ; leaving out ;
    but|just leave|not|keep|skip|spare|exclude|except|never in|on|for|out|the? ; leave out ; skip|exclude|omit ;
    not though ; outside of ; none in|on|at|of|for ; but let`,
  now: `
    this very second|minute|instant|moment ; now|noww|immediately|instantly ; right now|away ; straight away ;
    at once ; just now ; as of now ; from now ; this instant|minute|second|moment ; at the moment ; for now ;
    right this minute|second|instant|moment ; asap`,
  one: `one|ones ; the one|ones ; that|this|those|these one|ones`,
  it: `
    it|that|this ; it all ; that thing|one ; this thing|one ; the thing ; the thing there ; all of it ; the same one ;
    the damn|bloody thing`,
  them: `
    them|those|these|they ; all of them|those|these|'em|em ; them all|both ; both of? them? ;
    every|each one? of em|them ; the both|two|pair of? them? ; em all ; the lot of them ; all three of them`,
  everything: `
    every last|single|blessed|damn thing ;
    anything|everything|whatever|all that? 's|is|are still|currently|left? on|running|open|lit|going|switched_on|turned_on|left_on ;
    everything|evrything|everythin|every_thing else|there|electrical|electric|running? ; everything there is ;
    everything that 's|is on|running ;
    all|all_the|all_of_the devices|appliances|electronics|stuff|things|gadgets|electrics ; absolutely everything ;
    the whole lot|thing|shebang|kit_and_caboodle ; all the? stuff ; every device|appliance|single_thing|single_device`,
  quant: `
    all|every|each|any|both|al|allthe|alll ; all|each|every|both|any of the|my|our|those|these? ;
    all the|my|our|your|those|these|of ; every|each single|last one? of? the? ; the whole|entire? lot|bunch|set|gang of the|my|our|those? ;
    each and every ; any and all`,
  det: `
    the|a|an|my|our|his|her|their|your|that|this|those|these|me|thee|them|mine|another ; all that ; the the ;
    one of the ; the old|same ; the? power|electricity|juice|current|mains|plug to|on|for|of the|my|our? ;
    the? sound|audio|noise on|from|of|coming_from the|my|our?`,
  some: `
    quick|wee|little|good blast|burst|bit|spot of ; some|any ;
    a bit|little|drop|spot|dash|lot|touch|dose|splash|little_bit|wee_bit|wee_drop|blast|tad|drink|soak|shower|good_soak more? of? ;
    some more|of|of_the|kind_of|nice|good? ; little bit of ; more ; plenty|lots of ;
    a good|nice|proper|bit_of_a soaking|soak|drink|drenching|watering|drop|bit|splash of? ; a soaking|watering ;
    enough ; something ; their|its a drink`,
  prep: `
    in|on|at|of|to|for|inside|around|out|over|through|throughout|by|from|onto|into|near|across|outside|within|up|down|along|beside|under|above|behind|per|ont|int ;
    in|on|at|of|for|out the|my|our ;
    out|over|up|down|back|here|there|round|through in|on|at|by|of|near|beside|behind|around|along|under|next ;
    inside|outside in|on|at|by ; inside of ; round|alongside|beneath|below|opposite|beyond|towards|underneath|amongst ;
    next to ; close to ; in front of ; in the direction|area of ; as for ; regarding|concerning ; when it comes to ;
    belonging to ; out|over|up|down|back there|here|back in|on|at|of ; out back in|on ; out the|my back|front ; 's|ll ;
    as regards ; with regard|regards to ; all over|in|throughout|through ; out back|front ; from within|inside|out`,
  clock: `
    tonight|tomorrow|tomorow|tommorow|tmrw|today|yesterday|noon|midday|midnight|sunset|sunrise|dusk|dawn|nightfall|daybreak|sundown|sunup|bedtime|lunchtime|dinnertime|teatime|weekend|weekends|weekdays|nightly|daily|weekly|hourly|monday|tuesday|wednesday|thursday|friday|saturday|sunday|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|overnight|twice ;
    this|next|every|each|tomorrow|the|by|that|in_the|during_the|during|on|late|early|last|all|monday|tuesday|wednesday|thursday|friday|saturday|sunday|any morning|mornings|evening|evenings|afternoon|afternoons|night|nights|weekend|weekends|week|christmas ;
    at|by|around|from|before|until|after|about night|noon|midday|midnight|sunset|sunrise|dusk|dawn|nightfall|lunchtime|bedtime|dinnertime|teatime|lunch|dinner|breakfast|tea|the_weekend|weekends|daybreak|christmas|bed|dark|supper|work|school|sundown|tea_time|bed_time|lunch_time|dinner_time|the_latest ;
    every|each|once_a|once_every other|single|two|three|few|half|2|3? day|days|night|week|hour|hours|month|weekday|monday|tuesday|wednesday|thursday|friday|saturday|sunday|evening|morning|minutes|minute|afternoon ;
    on|by|next|this|until|from|last|every monday|tuesday|wednesday|thursday|friday|saturday|sunday|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays|weekend|christmas ;
    once|twice|thrice a day|week|night|hour ; when it gets dark|light ; in the middle of the night ;
    in the morning|evening|afternoon|night|mornings|evenings ; first|last thing in|at the? morning|night ;
    the? day after tomorrow ; tomorrow week ; all day|night|morning|evening long? ; day and night ; at the weekend ;
    on the hour ; on my birthday ; half past ; at the usual time ; these days ; nowadays ;
    in the? winter|summer|autumn|spring|wintertime|summertime ; early ;
    on? the? nth of? january|february|march|april|june|july|august|september|october|november|december|may? ;
    on? the? first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twentieth of january|february|march|april|may|june|july|august|september|october|november|december ;
    in? january|february|march|april|june|july|august|september|october|november|december`,
  vague: `
    before too long|much_longer ; in two shakes|ticks ; in two shakes of a lamb 's? tail ; by and by ;
    in the fullness of time ; later|soon|shortly|eventually|sometime|someday|presently|momentarily|anon ;
    later on|today|tonight|this_evening|please? ;
    in a bit|while|moment|minute_or_two|little_while|little_bit|sec_or_two|jiffy|wee_while|wee_bit|short_while|few|few_secs|few_moments|mo|sec|second_or_two|couple|tick ;
    in|after|for a|just_a few|several|some|couple_or_so minutes|hours|seconds|moments|mins|days ;
    in few|several|some minutes|hours|seconds|moments|mins|days ;
    after a while|bit|few|little_while|short_while|some_time ; in some|due|good|no time ;
    sometime|some_time soon|later|today|this_week? ; at some|one|any point|stage|time ; one of these days ;
    before long ; pretty|very|quite|really soon ; in the near future ;
    a bit|little|while|moment|few_minutes later|from_now ;
    after|before the? supper|dinner|lunch|breakfast|tea|work|school|bed|bedtime|dark|christmas|film|movie|match|news|game|show|rain|party|meeting|shower ;
    not now|yet|just_yet|right_now ;
    for|after a bit|while|moment|little_while|short_while|little_bit|sec|wee_while|wee_bit|few ; for|in some time ;
    a while ; whenever`,
  relative: `
    by one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of|a couple|some|half a|1|2|3|4|5|10 degrees|degree|notches|? ;
    a few|couple|couple of|bit of degrees|notches ;
    a degree|notch or two? more|less|warmer|cooler|up|down|higher|lower|hotter|colder ; few degrees ; some degrees ;
    couple of degrees ; couple degrees ; half a degree ; one notch ; two notches`,
  to: `to`,
  lot: `the lot ; the lot of it`,
  owned: `that? i|we have|own got? ; that? there is|are ; that? you can find|see|reach|think_of ; that? exists`,
  others: `
    the? rest|remainder of? them|those|it? ; others ; the rest|remainder of? them|those|it? ; remaining|other ones ;
    all|every|each|any of? the? others|rest ; the? others`,
  remaining: `other|remaining ; rest of the|my|our|those?`,
  excepted: `
    not ; 's|is|are the? only? exception|exempt|excluded|excepted ; do not|nt touch|disturb|change ;
    is|are spared ; be ; excepted|excluded|spared|aside|exempt|exempted|omitted ; left on|off|open|closed|up|down|alone|out|as_is|as_it_is ;
    as the? only? exception ; being the? exception ; not included|though`,
  only: `only|just ; only in|the|on ; just in|the|for`,
  mustnot: `
    do|does not|nt need|have|want|ought to? be|stay? ; should|must|may|shall|need not|nt be|stay|get? ;
    ought not|nt to be ; is|are|'s not|nt needed|wanted|required any_more|anymore|any_longer|now|right_now|today? ; has|have|had no business|need|reason being|to_be ;
    has|have|had|'s|'ve had|got enough|plenty|sufficient|loads of? ; had|got enough|plenty of? ; has|have no need of`,
}

/** Words that misspelled ones may be meant for, though their phrases are not repaired. */
export const repairedWords: readonly string[] =
  'please everywhere everything except outside inside degrees degree celsius fahrenheit centigrade from percent forget freezing'.split(
    ' ',
  )
