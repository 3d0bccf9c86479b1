/**
 * What tells that a sentence asks, reports, gives a reason or sets a condition.
 * @module
 */

/** By what they do, in the notation of DESIGN.md. */
export const talkWords = {
  cond: `
    if|unless|until|untill|once|whenever|wherever|provided|providing|assuming|suppose|supposing|otherwise|whether ;
    when|wen|whn ; as soon|long as? ; soon as ;
    the moment|minute|second|instant|day|time i|we|you|he|she|they|it|the|my|someone|that ;
    in the event|case that|of? ; in case of ; only if|when|once|after ; even if ; every|each|next|any|last|first time ;
    after|before i|we|you|he|she|they|it|the|my|our|someone|everyone|going|leaving|coming|sunset ;
    while|whilst i|we|you|he|she|they|it|the|my ; should the|it|there|i|we|they|he|she|anyone|someone|somebody|you|my ;
    by the time ; anytime ; depending on ; given that ; in|on condition that ; the next time ; had i ; so|as long as ;
    till ;
    the moment|minute|second|instant dad|mum|mom|granny|grandma|everyone|everybody|somebody|anyone|guests|kids|baby|our|his|her|this ;
    each time ; as and when ; if ever ; by when`,
  because: `
    because|since|cause ; seeing as|that|how ;
    as|so|so_that|for|that|cause|and i|we|he|she|they|it|you|my|our|the|everyone|nobody|people|guests|no_one|there|this can|will|do|does|am|is|are|could|would|not|dog|cat|kid|kids|baby|have|need|want|guests|sun|movie|film|children|neighbours|neighbors|electricity|might|did|has|had|was ;
    as|so_that|cos|for i|we|he|she|they|it|you|there|my|me|the|our|everyone|nobody|no_one|guests ; so that ;
    because of ; due to ; in order to ; so as to ; now that ; given that ;
    in case i|we|he|she|they|it|you|someone|anyone|the ; the reason is|being ; thanks to ; on account of ; for fear ;
    to save|keep|stop|let|make|help|get|avoid|see|read|cook|work|sleep|relax|listen|watch|wake|celebrate|dry|match|be|scare|show|welcome|block|air|cool ;
    that 's why`,
  subject: `
    it makes|does|is_making|has ;
    i|we|he|she|they|you|nobody|noone|somebody|someone|anybody|anyone|everybody|everyone ; no one ; every one ; who ;
    me and|& my|the ;
    my|our|the mother|father|mum|mom|mam|dad|wife|husband|partner|brother|sister|son|daughter|baby|kid|kids|child|children|boys|girls|guests|neighbour|neighbor|neighbours|neighbors|boyfriend|girlfriend|roommate|flatmate|friend|friends|family|dog|cat|boss|grandma|gran|granny|nan|nana|grandpa|grandad|uncle|aunt|plumber|electrician|cleaner|landlord|teacher|toddler|twins|little_one|lads ;
    mum|mom|mam|dad|grandma|granny|nan|mommy|daddy|mummy|nurse|chef|tom|john|sarah|jack|emma|mike|anna|peter|dave|sam|kate|bob|alice|maria ;
    my|our|the|your|both? aunt|auntie|cousin|cousins|nephew|niece|guest|visitor|visitors|colleague|colleagues|missus|hubby|mates|parents|grandparents|kiddo|kiddos|little_ones|wee_one|wee_ones|newborn|puppy|kitten|toddlers|roomies|flatmates|teenager|teenagers|students|people ;
    my|me|our|his|her|their poor? toes|toe|feet|foot|hands|hand|fingers|finger|nose|ears|legs|knees|bones|bum|face|body|head|skin|back|shoulders ;
    the|this|that room|air|place|atmosphere|floor|tiles|walls|draught|draft ;
    is it just? only? me or is|'s|does it|this|the? place|room? ; is|are not|nt it|you|we a_bit? ;
    do not you think it|this is|'s ; did you know that?`,
  cop: `
    is|are|am|was|were|'s|be|been|being|seems|seem|looks|look|looked|stayed|gets|went|came|gone|keeps|kept|feels|feel|smells|smell|sounds|sound|appears|works|work|broke|keeps ;
    has|have|had been|gone|come|stopped|started|got|broken|just|already ;
    is|are|was|were still|already|now|not|nt|always|being|both|all ; must|might|may|could have been ;
    has|have|did|does|do not|nt been|work|start|come|go|stopped|gone|worked? ; came|went back? ; needed`,
  aux: `turns|switches|shuts|closes|opens|plays|starts|stops|runs|begins|ends|keeps|raises|lifts|lowers|drops|heats|warms|cools|needs_fixing|flickers|have|has|had|ve|did|does|do|already|just|am|was|were|been|would|will|be|might|may|shall`,
  ask: `
    could|might|may it be that? ; what|whats|wats|wots|whts|wht|which|who|whose|where|why|how|wat|wot ;
    how|why|who come|much|many|long|often|far|hot|cold|warm|bright|is|are|does|do|did|about_the? ;
    what is|'s|are|was|time|does|do|did|happened|happens|if? ;
    did|does|do|have|has|had|is|are|was|were|am not|nt? i|we|you|he|she|they|it|anyone|anybody|someone|somebody|everyone|the|my|our|that|this|there|any|all|those|these|somebody_else ;
    do you know|think|remember|see|have if|whether|who|when|that|what|how|which? ;
    can|could|would|will you please|just? tell|check|confirm|see|look|find|verify|let_me_know|remember|remind me|for_me? if|whether|what|which|how|who|when|where|why|out|the|for|on? ;
    tell me|us if|whether|about|what|which|how|who|when|where|why|the? ; check if|whether|that|on|the? ;
    let me know if|whether|when|what? ; show me? ; i wonder why|who|what|how|when|where|whether|if|is? ;
    wonder if|whether|who|why ; any idea|clue|news if|whether|who|what|why|when|how|on? ;
    is anyone|anybody|someone|somebody ; are|is there any? ; explain|describe|read_me|find|search|google|say|remind ;
    status of? ; what 's|is up with|going_on_with? ; see whether|if ; list ; should i|we ;
    will|would|does|did|has|had the|it|they|that|there|this|my|our ; am i ;
    when is|are|was|were|did|does|do|will|has|have|should ; where did|is|are ; which of ; ask ;
    i am? not sure|certain if|whether|what ; what if ;
    do|does the|my|our|those|these lights|blinds|curtains|sprinklers|light|heating|radiators|shutters|speakers work|have|need|still|look|come ;
    what would happen if ; was it ; aint ; is n't ; remind me`,
  told: `
    thanks|thank_you|cheers|ta for ; good|great|nice|excellent job|work|one on|with|at|for? ; well done for|on|with? ;
    it? 's|is|was? nice|kind|good|great|lovely|clever|sweet of you to ;
    i|we|you|he|she|they forgot|tried|had|managed|failed|decided|refused|attempted|remembered|started|began|happened|used|came|went to|out? ;
    i|we|he|she|they am|are|is|was|were|'s trying|supposed|unable|planning|hoping|afraid to ;
    i|we|he|she|they|mum|mom|dad|somebody|someone|grandma|nana already? told|asked|begged|warned|ordered|reminded|says|tells|asks you|me|us|him|her|them|it? not? to|that? ;
    i|we will|shall|would have_to|need_to|just|probably|then? ; i have|had already|just|never|always ;
    i|we|he|she|they always|usually|often|sometimes|never|rarely|normally|generally|only ; let me ;
    there is|are|'s|was|were|has_been ; how nice|lovely|good|kind|thoughtless|silly ;
    i|we|he|she|they|someone|somebody must|may|might|could have ; it seems|appears|looks|sounds that|like? ;
    i|we see|notice|noticed|hear|heard|saw|think|thought|believe|remember|know|knew that? the|your|my|our|someone|somebody|it ;
    remember when|how|the_time ; apparently|supposedly|allegedly ;
    the manual|guide|sign|note|book|paper|doctor says|said to|that? ; in the film|movie|book|story ; yesterday ;
    last night|week|time|month|year ;
    i|we|you|he|she|they|somebody|someone would|should|could|might|must|ought_to have ;
    he|she|they|mum|mom|dad wanted|meant|intended|planned|hoped|hopes|wants|plans|intends to ;
    i|we intended|planned|hoped|meant to ; i|we thought_about|thought_of ;
    he|she|they|somebody|someone|everyone|everybody shouted|shouts|yelled|yells|screamed|screams|whispered|whispers|wrote|texted|replied|answered|joked|insisted|mentioned|complained|claimed|claims|suggested|announced|wondered|swears|swore that? ;
    just|only? telling|informing|reminding|warning you that? ; to let you know that? ; letting you know that? ;
    just so you know that? ; so you know that? ; fyi ; for your information ; heads up ; news flash ; guess what ;
    i dreamt|dreamed|read|heard|learned|learnt|found_out that? ; it says here|there? that? ;
    it|they|she|he|somebody|someone|everyone said|says|say on|in the radio|news|paper|telly|tv|internet|box that? ;
    i|he|she|they|we|so? said to him|her|me|them|us ; so i|he|she|they|we said|says|go|goes ;
    in|from the|that|this|my|a|his|her novel|play|dream|poem|chapter|comic|series|song|advert|sketch|opera|musical|ad|programme|program|fairytale|tale ;
    fun fact`,
  quoted: `
    is|'s|was|were what|how he|she|they|i|we|somebody|someone|everyone|mum|dad|my|the yelled|yells|said|says|told|shouted|shouts|asked|asks|wrote|writes|wanted|did|does|called|sang|whispered|meant ;
    said|shouted|yelled|cried|asked|whispered|sang|muttered he|she|they|mum|dad|the|my|somebody|someone ;
    he|she|they|mum|dad yelled|shouted|whispered|muttered|screamed|cried|wrote at|to? me|us|him|her|them?`,
  self: `
    by? itself|themselves|himself|herself ; on|of its|their own accord? ;
    turned|switched|shut|closed|opened|started|stopped|lowered|raised itself|themselves`,
  called: `called|named|labelled|labeled|known as`,
  call: `call|text|message|email|phone|ring|buy|order|add|book|remind|send|find|lock|unlock|clean|cook|wash|charge|tell|sing|dance|translate|wake|record|vacuum|hoover|mow|sweep|tidy|feed|walk|drive|drives|empty|iron|paint|install|replace|repair|fix|sell|write|read|count|calculate|spell|define|navigate|download|delete|move|fetch|hand|pass|pour|bake|boil|roast|fry|grill|order|reserve|cancel|charge|mop|dust|polish|unplug|connect|disconnect|pair|sync|update|reboot|restart|reset|print|scan|take_a_photo|take_a_picture|teach|learn|recommend|compare|save|share|invite|describe|throw_away|throw_out|take_out|put_away|google|search|arm|disarm|snooze|defrost|ventilate|air|flush|rent|hire|measure|monitor|watch|look|visit|park|wipe|shake|eat|drink|carry|catch|climb`,
} as const
