/**
 * What people say around a command that changes nothing of it: courtesies and fillers.
 * @module
 */

/** By what they do, in the notation of DESIGN.md. */
export const courtesyWords = {
  polite: `
    can|could|would|will|please you? please? see to_it that ; lets ; how|what about we|you|if_we|if_you just? ;
    pretty please with? a? cherry|sugar on top ; is possible|ok|okay to ; do you can|could ; you can you ;
    i trust you ; is it possible|ok|okay if you? ; can|could make|do that ; make so|sure that ;
    please|pleas|kindly|you ; pretty please ; please and thank_you|thanks ; thanks|thank|cheers|ta ; thank you|u ;
    thanks|ta very? much|a_lot|a_million|a_bunch|muchly ; thank you very|so much ; much obliged|appreciated ;
    many thanks ; if you please ;
    can|could|would|will|wil|might|may you|we|someone|somebody|anyone|anybody ever|please|kindly|maybe|possibly|perhaps|quickly|just|also|then? ;
    can|could|would|will not you please|just? ; you could|can|would not possibly|just? ; you can|could ;
    might|may|can|could i trouble|ask|bother you to|for? ; can|could i|we get you to ; can|could i|me please? ;
    would|could|can|will you be so kind|good as|and to? ; be so kind|good as to|and? ;
    would|could you be kind|good enough to ; if you would|could be so|very kind|good|sweet as_to? ; be kind|good enough to ;
    would|could|can|will you be a|an dear|love|darling|sweetheart|star|sport|pal|angel|doll|sweetie|gem|honey|mate|lamb|treasure|duck and? ;
    be a|an good|real|true|absolute? dear|love|darling|sweetheart|star|sport|pal|angel|doll|sweetie|gem|honey|mate|lamb|treasure|duck|lad|girl|boy|man and? ;
    would|could|can|will you do me|us a|the favour|favor|solid|kindness and|of? ;
    do me|us a|the favour|favor|solid|kindness and? ;
    there 's|is a good? pet|love|dear|darling|lad|man|girl|fellow|boy ; like a good man|lad|girl|fellow|woman|boy ;
    would|do you mind just|awfully|terribly|please|ever_so_much? ;
    would it be possible|ok|okay|alright|all_right|too_much_trouble|too_much_bother|too_much|a_lot|asking_too_much to|for|if? you? to|could? ;
    would it kill|hurt|bother you to ; any|some chance of|that? you|we|somebody|someone? could|can|would|might? ;
    is|are there any|a chance|way|possibility of|that? you|we? could|can|would|might? ; any way you could ;
    are|would you able|willing to ; you think|reckon you could|can|might ;
    do you think|suppose|reckon you|we could|can|might ; i wonder|wondered if|whether you|we could|can|would|might ;
    i|we was|were wondering if|whether you|we could|can|would|might ; wondering if you could|can|would ;
    i am wondering if you could|can|would ; why do not|nt you|we just? ; why not ;
    you could|can|may|might|should|must|will|better just|maybe|always|now|please|safely|also? ; you had better ;
    i need|want|wish|require|expect you|someone|somebody to ;
    i would like|love|prefer|need|want|rather you|someone|somebody to|would? ; i am going_to need you to ;
    i want|need for you to ; i ask|beg|order|command|am_asking|am_begging you to ; you are to ;
    you have|need|want|ought got? to ; let us ;
    i|we would|should be|? ever_so|most|very|much|so? grateful|obliged|thankful|glad|happy|delighted|appreciative if you? would|could|can? ;
    i|we would really? appreciate|like|love|prefer it if|when you? would|could|can? ;
    i would appreciate if|it you would|could|can? ;
    it would be so|very|really? great|nice|lovely|good|wonderful|awesome|cool|helpful|perfect|kind|fantastic|fab|brilliant|a_help|appreciated|super if|of you? would|could|can? ;
    it would help|suit_me|please_me|make_me_happy if you? would|could? ; time|about_time|high_time to|we|you|that? ;
    it is|'s about|high? time to|you|we|that ; feel free to ; try to|and? ; help me to? ; go and|on|ahead? and? ;
    run and ; do not|nt you? ever|go|dare? forget to|and? ; never forget to ; remember|remeber|be_sure to ;
    be sure to|and ; make sure to|you|that_you|and|that? ; mind you remember to ; mind you|to ;
    see that|to_it_that|to_it? you? ; see if you can ; please do ; do please ; what|how about you|if_you could|just? ;
    what do you say we|you ; we should|could|might|better|had_better|need_to|want_to|have_to|can|would ;
    i would? suggest|propose|recommend you|we|that|to? ; shall we ; i command that|you_to ; your task|job is to ;
    first things? first ; away and ; you may|might as well ; might as well ; ready to ; i am asking|begging you to ;
    it 's|is best|better to|if? ; will you go and ; run along and ; yes please ; i urge you to ; id say ;
    do not|nt you want to ; do the needful and? ; do one thing ; must|should|will|shall|could not|nt forget to ;
    not forget to ; try not to forget to ; must not|nt forget to ; do not|nt forget about? ;
    i was|am hoping that? you|we|someone could|can|would|might ; make yourself useful and ; it is possible to ;
    is it possible|ok|okay|alright to|for|that_you? you? to? ; how about we ;
    have the goodness|kindness|courtesy|decency|grace to|of|of_to? ; pretty please with a cherry on top ;
    would it be too much to ask you|that_you to|could? ; would you ever just|please?`,
  filler: `
    lets|let_us say ; degrees|degree? celsius|centigrade that is ; slightly|somewhat|marginally ; comma|period ;
    full stop ; exclamation|question mark ; already ; wakey wakey? ; rise and shine ; at this|that|the point|stage ;
    don|do not|nt you think|agree|know ; see to it ; not a? more|less|degree_more|degree_less ; neither more nor less ;
    forgive|bear_with|indulge me|my_rudeness ; if at all possible ; if you d be so kind ; my? apologies ; wakey ;
    help ; what 's|is|was it|that|its_name called|again? ; what do you call it|that? ; whatsit ; thingy ;
    not now|yet|right_now|immediately|straight_away but|only ; cozy|cosy|comfy|comfortable|snug ;
    exactly|right|just? where|as|how they|it|everything are|is|'s|was|were right? now|already? ; right there ;
    hey|hi|hello|hiya|heya|yo|oi|okay|ok|okey|alright|alrighty|right|righto|so|well|listen|look|just|maybe|perhaps|actually|really|simply|quickly|quick|fast|again|too|also|aswell|instead|though|tho|anyway|honestly|seriously|literally|basically|obviously|possibly|probably|yeah|yep|yup|yes|aye|nah|oh|ooh|ow|wow|god|gosh|jesus|christ|lord|damn|dammit|shit|fuck|fucking|bloody|freaking|crap|geez|jeez|sheesh|man|mate|bro|bruv|bruh|dude|buddy|bud|pal|boss|chief|guv|love|luv|darling|darlin|dear|deary|dearie|sweetheart|sweetie|sweety|honey|hon|babe|baby|pet|hen|duck|ducky|friend|folks|guys|lads|lad|team|son|sir|madam|maam|miss|mister|mum|mom|mommy|mummy|mam|dad|daddy|granny|grandma|grandpa|nana|kids|boys|girls|everybody|everyone|y|wee|lol|haha|omg|bit|ever|computer|alexa|siri|google|jarvis|cortana|bixby|robot|homey|assistant|house|gladly|exactly|precisely|roughly|about|around|approximately|approx|only|properly|fully|completely|totally|entirely|carefully|gently|slowly|quietly|finally|lastly|firstly|secondly|first|second|third|next|lookit|sure|grand|like|both|together|altogether|respectively|either|even|somehow|someone|somebody|anyhow|manually|automatically|whoa|woah|hurry|brr|brrr|brrrr|phew|yikes|ouch|whew|blimey|crikey|cor|wait|stat|pronto|hmph|hooray|yay|ha|ho|hum|tada|ladies|gentlemen|maestro|genius|butler|james|amigo|compadre|cupcake|pumpkin|chap|squire|sergeant|captain|cap|fam|peeps|gang|yous|goodness|urgent|urgently|important|straightaway|instantly|sharpish|smartish|promptly|swiftly|hopefully|fella|sis|cheers|lass|lassie|poppet|treacle|petal|matey|bub|champ|hello|there|yall|anyways|currently|individually|separately|permanently|temporarily|back|good|nicely|safely|wonderful|lovely|fab|ready|done|mind|sorry_love ;
    hey|ok|okay|hi|hello google|alexa|siri|house|home|there|jarvis|computer|cortana|assistant|you|buddy|everyone|all ;
    smart home ; dear house|home|computer|assistant ;
    my dear|love|darling|friend|good_man|sweet|lovely|house|man|lady|lord|good_house ; old chap|boy|man|thing ;
    home assistant ; good morning|evening|afternoon|day ; you know|see ; i guess|think|believe|suppose|reckon|say ;
    i am thinking ; sort|kind of ;
    a bit|touch|tad|little|smidge|smidgen|notch|teensy_bit|wee_bit|little_bit|lot|whole_lot|ton ; as well|usual|it_is ;
    would|will|could|can you|ya|ye|yall not? please|now|kindly? ; could|would|will|can not you ; what|how do you say ;
    if|whenever|when you can|could|would|will|please|like|may|want|must|wish|care|dare ; if you do|would not|nt mind ;
    if you don mind ; if you would not mind me_asking? ;
    if|when|whenever you|u get|have|find|got|had a|the chance|minute|moment|sec|second|time|mo|free_moment ;
    when|whenever you get|find|have time|round_to_it|around_to_it ;
    if|when you are|'re able|ready|free|done|finished|listening|there|not_busy|so_kind|so_inclined|about ;
    when you have got? a minute|moment|sec|second|chance|mo ;
    if it is|'s|was not? too_much|no|any|a|too trouble|bother|problem|hassle|ok|okay|possible|alright|convenient|much to? ask|you? ;
    if not too much trouble|bother ; if possible|poss|convenient|needed|need_be ;
    if that is|'s ok|okay|alright|all_right|fine|possible|cool|not_too_much_trouble with? you? ;
    if you could|would be so|very? kind|good ; if you could|would|'d be a|an dear|love|darling|angel|star|sport|pal|gem ; if i may|might|could ; if anyone is|'s listening ;
    if you are listening|there ; whenever|when convenient|possible|ready ; when|whenever it suits you? ;
    while|whilst you|we are|'re at_it|there|about_it|up ; while i think|remember of? it? ; before i forget|go ;
    now that i think|remember of? it? ;
    for me|us|my_sake|everyone|everybody|all_of_us|now|good|goodness_sake|once|real|sure|a_change|the_moment|the_time_being|fun|them|him|her|dad|mum|mom|grandma|granny|nan|nana ;
    for god|heaven|goodness|pete 's? sake ; for the love of god|pete ; for crying out loud ; go on|ahead ;
    come on then|now|home? ; get on with it ; hurry up ; be quick ; as quick|fast|soon|quickly as possible|you_can ;
    real quick ; in a jiffy please? ; at once ; straight|strait away|off ; at the moment ; for a change ;
    at|in the same time ; all at once ; one more time ; once more|again ; of course ; in general ; then please ;
    to me ; the two of them ; just? those two ; all three|four of|? it|this|that|them|these|together? ;
    both of them|these|those ; the lot ; all that ;
    that 's|is|will_be|should_be|should_do|will_do all|it|enough|plenty|everything|about_it|your_lot|me_done|the_lot|fine|good|great|perfect|better|nice|lovely? ;
    all done ; then that 's|is it|all|enough ; no that 's|is all ; nothing else|more ; and so on ;
    what|all i want|need|would_like|am_trying_to_say|mean|'m_after|'m_asking|ask is for? ; the thing is ;
    here is|'s the|what thing|i_want|i_need|to_do|deal? ; i said|repeat|tell_you ; you|ya hear|understand me|now? ;
    did you hear me ; got it|that|me ; mommy|mummy|mum|mam|dad|daddy|granny|doctor|doctors 's? orders ; karo|kardo ; okay|ok then ; then ok ; listen up|here|to_me|house ; look here ;
    excuse|pardon me ; sorry to bother|trouble|interrupt|disturb you? ; sorry to be a pain|nuisance|bother ;
    sorry but ; hello|hi|hey there ; you there ;
    no problem|worries|rush|hurry|pressure|arguments|argument|matter_what|excuses|need_to_rush|buts ; god|lord|goodness knows ;
    oh? my god|goodness|gosh|lord|word|days|stars ; good grief|lord|god|heavens ; thank god|goodness|heavens ;
    i swear to? god? ; honest to? god? ; so it|they|he|she is|are ; so i am ; love you ;
    good lad|girl|boy|man|stuff|job|one|house|person|human ; in my opinion ; one by one ;
    you lot|two|all|guys|there|awake ; it|this is|'s me ; dear god|lord ; are you there|listening|awake|ready ;
    take your time ; it is|'s fine|ok|okay|alright ; is that|this ok|okay|alright|all_right|fine|cool|clear with_you? ;
    okay|ok|alright with you ; how about that ; i beg you|of_you ; nice one ; sure thing ; fair enough ; at last ;
    at long last ; in full ; on the double ; chop chop ; with you ; from now on ; by the way ; you big lug ; ye know ;
    like|as i said|asked|told_you|always ; as usual|always|per_usual ; and that|all|all_that ;
    or something|whatever|so|anything|what|thereabouts|not ; one|another|the|my last|more? thing ;
    last|second|first|next thing|up|of_all ; last but not least ;
    quick|small|tiny|little favour|favor|question|one|thing ; a favour|favor ; i hope ; it 's|is urgent|important ;
    all the way ; to bits ; a wee bit|drop ; this time ; in the meantime ; let us|me see ; and then some ;
    i would say ; as it happens ; to be honest|fair|sure|clear|safe ; no wonder ; i promise ; trust me ;
    you star|legend|beauty|angel|genius ; me dear|love|lovely|old_mate|duck|darling ;
    my love|lovely|dear|good_man|lad|son|child|treasure ; your majesty|highness|honour ; too much|little? please ;
    in one go ; for the kids|children|baby|dog|cat|guests ; so much ; i need you ; each of them ;
    every bit of it|them ; on my own ; in return ; at all ; per favore ; bitte ; por favor ; sil vous plait ;
    any more|longer ; anymore ; or is it just me ; slightly|marginally|considerably|somewhat ; can you imagine ;
    fancy that ; would you believe? it? ; and? no more|longer no? less? ; with a cherry on top`,
  goalong: `and|to|on|ahead and`,
} as const
