/**
 * English words that are close to one of the vocabulary, and are meant as they are: nobody who says "lamb" means the lamp.
 * @module
 */
const words = new Set(
  `aback abbot abbott abby abel abetting abide ability abolish abou abound absolve abt abusing accent acceptable
accepting accepts accountable accounting achilles acme acquire acquires acres actin actionable actions activation
activator activities activity acton actuality addis adds addy adjustable adjustment adjusts admitting adobe adored
adores adorn adr ads adventist advices advisable aero afford aftermarket afterthought agate agility agreeable
agreement aground ahhh ahmad ahold aide aids aime airports airtight airtime airy ajay alain alarming albright alder
aldo alerting alight alike alla alle allen alleys alli alliance alliances alligators allowing allows alloy ally
almighty aloft alongside aloud als altar altered altering alters alto amassing amazingly amazons ames amin amine amiss
amit among amore amounting amps amusing andover ange angela angelo angels anger anglo anne annexed annually ansel
antarctic anterior antibody ants apartments appreciable appreciates appreciating appreciation aquariums aquarius
arched archived arden aren arena arenas ares aria arias arise arises arising armed arming arms aromatic arranged
arrangement arranges arrival arrive arrives arriving ars arse arty arya asd askin assad assange assed assumed assumes
assuring aster atc atone atop atta attaining attica auction audi audiobooks audit aung aust avenging avery aviation
aviator avoidable awaiting awarding awhile awry axle baba babs babu babysitting backbone backcountry backdoor backdrop
backers backfire backgrounds backhand backing backlash backroom backs backside backstage backstory backstreet backup
backward backwards backwater badgers baek bagging baht bail bailed bailing bain baiting balding bale ball balling
ballroom balls banding bane banging bangs bank banking banning bans barb barbers barbour bard bare barf barge bari
baring bark barker barking barley barns baron baroness barr barrage barrier bars bart barth base baseman basements
bash bashing basing bask basking bass batch bate bathe bathing baths bats batter battered battering battery batting
bawling bays beachfront bead beaded beads beal beaming bean bearable bearers bearing bearings bears beast beat beater
beaters beatings beats beavers beck beckett bedding bedrock beech beef beep bees beet befitting beforehand began
beginnings begs begun behaving beheading beijing bein beit bell bellies bellow belly belt belting bench bend bending
bends bene benin benn benning bent bequest bering bern bert berth beset bess beth bets bette bettering betterment
betting bewitched bicycles bidders bidding bids bien biggest biking billed billing billings billion billions bind
binders binding bindings binds bing birth bitch bitches bitching bite bites biting bitten bittersweet blacked
blackface blackjack blacklist blackmail blackouts blackpool blackrock blacks blackstone blackwater blackwell blaming
bland blank blaring blasts blazing bleach bleep blend blended blender blending blends bless blessing bleu blight
blighted blindly blindness bling blink blinked blinking blinks blip blistering blisters bloated bloc bloch blocked
blocking blogging blond blondes blood blooded bloods bloom blot blower blowers blowing blown bluegrass blueprint blum
blunder blunders blur blurring blushing boarders boarding boas boast boasted boasting boat boating bobbing bobby bobs
bock bode boggling bogs bogus boilers boing bois boise boko bold bolder bolster bolt bomb bombers bombing bona bond
bonding bonds boned boneless boner bones bong bonkers bonn bono bony boob bookcase booking bookings bookkeeping
booklets bookshop bookstore boom boomers booming booms boon boone boop boos booster boosters boosts booted booth
booting boots booty border bordered bordering bore boring born borne borough boroughs bose bosh botha bothered bothers
bots bottling bought boulders bounces bouncing bound bounded bounds bout bowel bower bowers bowled bowler bowlers
bowling bows boyd boyer boyz bracing bracket brackets bragging brain braking bran branching brand branded branding
brant bras brash brats brave brawn brea breach breaching breadth breaker breakers breakfasts breaking breathable
breathe breathing breathless breaths breathtaking bree breeder breeding breen breeze breezes brewing bribing bridge
bridging briefing brig brightened brightest brightly brighton brill brilliance brilliantly brimming brine brings brink
brock brokers brom bron brooding brook broom broth broughton brow browne browns brows bruising brunch brushing buck
bucket buckeye buckeyes bucking buckles budding budge budgets buds bugging buggy builders buildings bulging bulk bull
bullets bullies bullion bulls bullying bummer bumping bumpy bums bund bundled bunk bunkers bunny buns bunt bunting
buoys burch burdens burg burgers burkina burn burned burners burns burp burr bursting burt burying busch bush bust
busting butch bute butt butter butterfly butters buttery buys buzzing byers bytes cable caddy cade cafe cage cahill
cain cake cakes calc calder cale calf cali callaway callback calle callers callin calls calming camel cameo camo camp
camping camps cams candies candlelight candlestick cane canning cans cant canteen cape capping captains caption
captions captivated captivating caracas caravans card cards carefree careless carl carlson carlton carly carmine
carpool carried carrying cars cartman carton cartons cartoonist carve carving carvings cary casa cases casey cash
cashing cask cass cassius cast caste caster casting casually catalan catchment catchy cate cater catered catering
caters cath cation caused causes causing caution cautions cava caved caves caving cavs ceased ceasefire ceases ceasing
ceilings cell cellars cells celtics censure cent centers centrally centred centres centric centrist centro ceos cern
chairperson chairwoman chambers chan chances chandeliers chandler chang changeable changer changers channing chanted
chanting chao chapin chapter charged chargers charges charing charles charming charted charter charting chase chasing
chat chatted chatter chatting chaucer cheaper cheaply cheat cheated cheater cheaters cheating cheats chechen checked
checker checking checklist checkmate checkpoint checkup cheeks cheer cheered cheering cheerios cheery chen cheng
cherished chester chick chickens childcare childish childless childlike childress childs chile chili chillin chilling
chills ching chip chipped chipping chock choking chong chongqing choosing chopin chopped chopping chops chose chow
chris christa christchurch christian christians christy chucked chucky chugging chung chunk churchyard churning
cinemas circles citation cite cites citing clad cladding claiming clamp clamping clamps clams clans clap clapped
clapping claps clare clash clashing clasp classed classmate classrooms classy claus claws clay clays cleaned cleaning
cleanly cleansed cleansing cleanup cleared clearer clearwater cleary cleave cleft clegg cleverly clicked clicking
clicks climber cling clinging clip clipped clipper clipping clippings clive clocked clocking clocks clockwork clog
clogging clogs clone cloned clones cloning closer closest closets clot clothing clots clotting cloud clove clover
cloves clubbing clueless clung clutching clutter cmos coaching coalition coals coast coaster coating coax cock code
coders codes coding cody coed cognition coherence coil coiled coils coin coke coker cola coldest coldplay colds cole
coles coli coll collage collagen collar collars colleague collect colleen colleges collide collins colo coloring
colorless colt coma comb combing combs comeback comer comers comet comets comey comin comm commanded commander
commandment commando commandos commands comme commenced commencement commences commend commended comment commented
commenter comments commerce committing commons comms commune commute commuted commuter commuters commutes como comp
company compete competed competes compiler complete completed completes composer comps compute computed computers
comte conceit concentrated concentrates concept concluding conditional conditioned conditions conduction cone cones
coney conferences confidence configured confluence cong consent consents constant contact contain contains contempt
contend contends contented contentment contents contest contests context contexts continent convene convening convent
convergence converging conversing convert converting conveying conveys conviction cookbook cookbooks cooke cooked
cookies cooks coolant coolers coolest cooley coolidge coon cooper coors coos copd cope copped copy copying coral cord
core cores cork cornerback corners cornerstone corning cornish corp corridors cory cosby cost costing cote cotter
coughing coulda couldn countdown countered countering counties countless countryside coup coupe coupled couples
coupling coursework courting cove coven covered covert covet cowards cowl crackdown cracked cracker cracking crackling
cracks crafted crafting crafts crafty crammed cramming cramp cramped cramping crane cranks cranky crashed crashing
crass crate craters craved craven craves cravings crawled cray craze creaking creams crease creating creature cree
creeper creeping crest crevices crick cried cringing crippling crisp crisps crock croft crook crooked crop cropped
cropping cross crossing crouching crowding crown crowning cruising crunching crushing crust cryin cube cuddling cull
culled culling cumming cunning curbing cure curling cursing cursory curt curtail curtin curving cushing cute cuts
cutters cuttings cycling cylinders dada dade dairy dale damages damaging dame dames damning damon damp damping dams
dancehall dancing dandy dane dang dangling dank dans dara dared dares daring darken darkest darlene darlings dart data
daunting dawned dawning daytime daze dazzle deactivated deadlock deadly deadpool deaf dealers dealing dean dearth
deaths debating debtors decaying deceased december deception decides deciding decks decline deco decoding decreased
decreases decreasing decree decreed decrees deduce deed deeds deen deep deepened deepening deer defection defended
defending defined defines defining deflection deft defying deir delaying delegated deleting deli delightfully delights
dell delving demanding demands dent dentistry dentists denying department dependant dependent depicts depress
depriving dept depth derive derived derives deriving descending descent deserts desi desired desires desks dessert
devine devious devise devised devotes dialing dice dick diddy died dielectric dieting digging digress dike dill dime
dine diner ding dinghy dingo dinners dior dios dipping dire directed director directory directs directv dirk disabled
discontinued discovery dish disk disneyland disparate diss distant ditch ditched ditches ditching dive divides diving
dock docking doctoral dodging doge doin doing dole dollars dollhouse dolls dolly dome domes dona dong donkeys donna
donne donner donning donor donors dons dont doodle doodles doom dope doping dork dorms dost doth doubting doughty dove
dover dowd dowling downfall downing downloadable downplay downpour downright downs downside downstream downtime
downtown downturn dozens drab draft drafting drafts drag dragging drags drain drained draining drake dram drank draped
draper draught drawback drawings drax dread dreading dreads dream dreaming dreamt dreamy dress dressed drew dries
drift drifting drill drilled drilling drinkin drinking drinks drips driven driver drone drool drooling droplet
droplets droppings drought droughts drove drown drowned drowning drums drunk dryness ducking ducks duct duds dueling
dull dumb dummy dump dumps dune dunes dung dungeons dunk dunning duper durable dustin dusting dusty dwell dwelling
dwindling dyeing dyes eachother eames earl earle earls earn earning earns earp earring earrings ease easement east
easter eastern eater eaters eatin eating eats eaves ebook eclectic ecommerce eddy eden editing edwards eels eighteenth
eighth eighties eine electing election elections electra electrically electro electron electronica electrons elie
elise elite elites elle ellis els elsa elsewhere elsie emery emit emitting empowered empowering emulate enabled
enabler enables enclosing ender endings endo endurance endure eng engaged engagement engages engel enhance enjoyable
enjoying enjoyment enjoys enquire enroll enrolling ensue ensuing ensured ensures enter entered entering entertainments
entice entrances entrant entrants entre envoy episodes episodic epistle epitome eras erase erasing erasure eren
eroding errol ers esquire etch etching ethan ether evacuation evading evan events evergreen evers everton everyones
everytime evoking ewing exceeding exceptional exceptions excerpt exchanges exchanging exciting excluded excludes
executing execution exemption exerting exertion exes exiting expecting expects expert explode exploding exterminate
extinguished extinguisher extra extreme extremes extremity eyed fable facebook faced faceless facelift faces facet
facetime faction factors factually fade fail failing failings fainting fairchild faire fairies fairs fairway fake
fakes faking falcons falk fallin fallon fallow falls falter faltered fame fanatic fancied fang fanning fanny fantasia
fantastical farage farce fare farm farmed farmer farming farms farrell farting fastball fastening faster fasting
fatally fate fateful fathered fatherland fauna fave favorable favors favourable favours fawn faye faze fearing
fearless fears fearsome feast feasting feat feathers feats feature features feds feedback feeding feeds feelin
feelings fees feet fell felling fellows fencing fend ferment fern fervent fest fetching feuding fever fiat fibre
fiddling fide fielding fiend fife fifteenth fifth fifties fight fighter fightin fighting fights figures file files
filing filings fill filled fillers filling fillings fills filming filmmaking fina finders finding findings findlay
finds fined fink finn finnish fins fired firehouse firepower fires firestone firewall firework fireworks firm firms
firs firsthand firsts fisa fiscally fishing fishy fisk fissure fist fitch fits fitter fives flack flag flailing flak
flaming flanders flanked flanking flap flapping flare flaring flashback flashing flashlight flashlights flashpoint
flashy flask flats flattering flavor flavour flaw flax fleas flee fleeing fleeting fleming flesh flexing flicker
flickering flickr flicks flights flinders flint flipper flips flirted flirting float floating flock flocked flocking
flocks flogging flooding floods flooring floors flop flopped flopping flor floss flour flowed flowered flowering
flowery floyd flue flung flushing flutter flyer flying foal foaming foes foiled fold folder folders folding folds
follies follow followers fond fondness fong font fool fooled fooling foolish fools foot footballer footing footy foray
forcing fore forge forged forgets forgettable forging forgot fork form forming fort forte forth forts fought foul
fouling found founded founder founders founding foundry fours foursome fourteenth fourth fracking frail framing franc
frances francis frank frankel franken frat fraught freakin fred freebie freebies freed freehold freeing freeman
freeport freer frees freetown freighter frequent fresher fret fretting frey frick frickin fried frieze frigate
frigates fright frighten fringe frog fronts frost frosted frosting frown froze frye frying fuckers fuckin fudge fuel
fueling fuels fullback fulltime fund funding fung furnaces furnishing futility futures gabe gable gaby gadget gage
gagging gail gain gained gaining gale gales gall galley galloway gameplay gamer gamers gamestop gaping garde gardener
gardeners gardner garment garments garnish gases gash gated gateway gather gathered gathering gauge gave gaye gays
gaze gear gearing gears geeks geelong gels gems gendered gene gens gent gentry gents germantown gestation getter
gettin giant gift gifted gifting gifts giggle giggled giggles giggling gill gillian gills gilt girlfriends girly giro
giveaway giver gives givin glade gladiator gladiators gladstone glam glamour glancing gland glaze glazing gleaming
gleaned glide gliding glistening glock glove glowing glue gnawing goal gods goers goggles goings gold goldfish golds
golfers golfing gomes gong goodbyes goode goodies goods goodwill goody goodyear goof googled googling goon gore gorge
gosling goss goth gould goulding gove governing gower gown grabs graceful grad graders grading grads graft grail grain
grained grams grandchild grandchildren granddaughter grande grandfather grandkids grandmaster grandmother grandparent
grandstand granted granting grants grape grapes gras grasp grasping grassland grassy grate grating grave grays grazing
greased greater greats greed greek greene greener greenhouses greening greenland greenpeace greens greer greet
greeting gregg greta grieving griggs grilled grilling grills grin grind grinders grinding grinning grip gripped
gripping groin groom grooming grooms groping gross grounds groundwater groundwork grouped grouping growers growing
growling grown grunt guarding guessed guesswork guesthouse guidebook guiding gull gummy gump gums gunfight gung gunna
gunning guns gush gushing gust guts gutters gutting gwent hack hacking hades hahahaha hail hailing hails hain hairy
halal hale hales halfback halftime halle halliday hallo halo halter halved hana handbook handful handing handled
handling handover hands handsets handshake handsome handy hangers hangin hangover hani hank hanks hans happiest
happily harbour hard harden harder harding hardness hardy hare hark harm harmed harming harms harness harpoon hart
hash hast hastings hatch hatched hatching hated hateful hater haters hath hathaway hating hats hatter haul hauling
hauls haunting haus haven haves havin havre hawking hays haze hazing headband header headers headings headless
headlight headlights headline headmaster headphone headphones headquarters heads headsets headstone heady heal healed
healer healers healing heals heap heaped heaps heard hearings hearn hears heart hearted hearts heath heathens heather
heaton heatwave heave heaving heck hedging heed heel heels heft hehe height heightened heights heil heir heist held
hella hellfire hells helm helpers helping helpless helps hemp henning hera herb herd herding hereafter herein heres
hero herr herring hers hess hester hibs hide highland highlight highlighting highlights highs highschool hiked hiker
hikes hill hills hilly hilt hind hindered hindering hinders hines hinting hints hippies hippy hips hirst hiss hissing
hist hitch hitched hitchens hither hitter hitters hive hoarding hobby hock hoes hoisted hola holder holders holdings
holed holes holler holliday holloway holm holo holt holy homeboy homecoming homeland homeless homer homes homeschool
hometown homie homing homme homo homs hone honed honeywell hong honing honking honky honored honoring honourable hood
hoodies hoods hoof hook hooking hooks hoon hoop hoot hooters hopeless hopped hopping hops horribly horrors hors horse
horst horus hoses hospice hospitable hospitals host hosting hots houdini hough hound hounds hourglass housed
householder households housekeeping housemate houses housewife housewives housework housing hove hover hovered
hovering howe howling hoyer huck huddled hugging hugh hull hulls humankind hume humility hummer humming hump humping
hunch hunched hundreds hundredth hung hungover huns hunt hunters hunting hunts hurd hurl hurling hurst husk husky
hustling huts hutt hydrated hyping iain iberia iberian idealist ideals ideas idiom idiots ight ignite igniting
ignorant ignored ignores ills illuminates illuminati imaging imitate imitating impending imperfect impossibility
impossible impossibly improperly inaction incase incense inception include income incomes incoming inconvenient
increased increases increasingly indefinitely indifferent indirectly indo indra inducing infact infancy inference
inferior inflection info infront inhuman initial initials initiated initiates initiative inland inmate inner innit
inputs inquest inquire insanity insecurity insider insides installment instance instigate instill instinct insure
intake intent inter interim interiors intern interns interpol intimate intl intra intro inwards ironing irritate
irritated irritates irritating irritation issuing itch itching itunes jace jacket jackets jacking jacks jacky jail
jain jake jameson jamestown jamming jang janitor jarring jars jays jeep jeeps jelly jerking jess jest jets jews jill
jillian jingle jinping jive jock jockeys joes jogging johnstone join joining joint jones jong joon jose jour joys
judge juggling jump jumps june jung justin jute kang kant kata kath keating keats keel keen kelly kelp kemp kent kern
keyes khan kicked kickoff kicks kickstart kidd kidneys kiel kilda killer killers killian killin killings kiln kilo
kilos kilt kindest kindle kindred kinds king kink kino kipling kirk kiss kissed kissing kitchener kite kites kits
kittens klay kmart knack kneeling knight knockdown knocks knotted knowing kong kool kraft kristen kung kurt kush
kutcher lace lacking lacks lactation lacy ladd ladder lager lagging lagrange lags laid lain lake laker lakers lakes
lakh lama lame lana lander landfall landings landlady landline lando landon landry lands landslide lane lang lansing
lapd lapping laps laptops lard larger lark lars laser lasers lashing lasting lasts latch latched lateral latex latter
latterly lauder launder lawful lawfully laws layer layered layering layers laying lays leach lead leaders leading
leaking leaning leanings leaping leapt lear learning lease leased leases leash leasing leavers lecture leds leeds lees
leftist leftover lefty leggings lego legos legumes leighton lena lenders lending lends leno lens lent lessening lest
leto letter lettering letters leveling lever levin lewd liao libby liberia liberian lice lick licked licking lids lies
life lifeless lifes lighted lighten lightening lighter lighthouse lightness lightsaber lightweight likable likeable
liked likes liking lillian limb lime limes limiting limp limping lind linda line lines ling lingers lining linking
lint linus lipped lire lise listed listens lister listing listings lists liter literary liters litre litres litter
littered littering livable live lively lives livid livingstone load loaders loading loafers loathing loaves lobe
locally location loch loci lockdown locke lockers locking lockout loco lodging lodgings lofty logging logs loin lone
lonely loner longest longs longstanding longtime lookin lookup loom looming looms loon loop looping loops loos loose
loosing loot looters looting lore loser losers loses losing loss lost lott loudspeaker loudspeakers lounging lourdes
louvre loveable lovecraft loved lovell lover lovers loves lovey lovin loving lowe lowercase lowndes lube luck luke
lull lump lumps lund lung lunge lungs lurch lure lurking lush lust lute lyft lying lynch mace mach mack macy maddy
made madly mads mage maia maid maidens mailing maine mainland mainstay mainstream maintained maintains mainz mais
makeover maker makers makeshift makeup maki makin makings mako mala male males mali malls malt mana manages mandy mane
mani manly mann manning manny mano mans manu manus mapping marathi marathons march marched marches marching mare mares
marge marin mark marked marker marketable marketplace markets marking marlins maroons married marrying mars marsh
marston mart martens marty mary mash mask masking mass massed mast masterchef masterclass mastered mastering
mastermind masters mastery mata matched matching matchmaking matchup mated mateo mater mates math mather mating mats
matt matte mattered matured maturing maud maul mayne mays maze mcnally mead meaning meanwhile measurement meat meats
mech meddling medea medi medial median mediator mediators medic medina meds meeks meet meetings mein mellow melton
melvin mend mending mens menus meps mere merging merrily mesa mesh messed messi messing messy metering mets mice mich
mick mics middletown middleweight middling mighty mild mile milking milkshake mill milled millers milligan milling
millions millionth mills milne mime mina minas mince minding mindless minds mindy minecraft mined miner mines ming
mingle mingling minh mini mining minis mink minn minster mint mints miranda mire misc misled miso misses missing missy
mist mists misused mitch mite mites mixture mixtures moaning moat mobs mobster mock mocking modeling mods moist molar
mold molding molds mole moma momma momo moncton mong mongering monies moniker monitored monitors monkey monks mons
monster mont moods moody moon moor moore mooring moorish moors moose moot mopping mora morally mores mori morn mornin
moro morse mort mortally morty moss moth motherfucking motherland motherwell motivate motivated motivates motivating
motorbike motorsport mott mould moulding mound mounds mountain mounting mourning mouse mouthing moveable moved
movement mover movers moves movin muck mugging mugs mulch mule mull mullins mumps munch murders musa muse mush
mushroom musica musk muskets muster musty mutation mutiny mutt mutually nagging nail nailing nameless names namesake
nancy nang nani nanjing nano napping nappy naps nash nast nate nath nats naturally natured natures naughty nave neal
nearing nearly nears neat neath neck needless needy negroes nell nelly nene nerd nerds nero ness nest nesting nets
netting neuer neutral neve neverland newer newsnight newsroom newsweek newt niche nicht nick nico niece nifty niger
nigeria nigh nighttime nike nile nina nines nineteenth nineties ning nino nist nitrate nodding node none noob noodle
noodles noor noose norah norse norte northside nosed noses nosy notably notation note nothin nothings noticing noting
notting novices nowhere nozzles nude nuggets null nunes nuns nursing nuts nyse oars oath obeying obligated oblige
observatory obsessed obsolete oder odor odors ofc offences offended offending offends officer officers officio offsets
offsetting offshoot offside ohhh oiled oily older olds olive olly oman omen omens omer oncoming ongoing onscreen
onside onstage onus onwards opec opel opener openings opposing oranges ordered ordering orders osce others otter ounce
ours oust outdone outed outer outfits outing outline outlook outs outsider outsiders outwards outweigh ovation ovens
overbearing overcame overcoat overcome overcomes overcoming overdone overdose overdrive overflowing overhang overheard
overkill overland overlay overload overlook overlooked overlooking overlooks overlord overpass overpower overpowered
overpowering overrated overreacting overs overseas overseeing overstated overt overtake overtaking overthinking
overthrow overthrowing overthrown overtime overtly overturn overturned overturning overwatch overweight overworked
owen owens oxen oysters ozone pace pack packard packet packets packing pact padding paddling paddy pads pail pained
painfully painless painting pairing palace pale pall paltry pandering pang panning pans pant panther panties panting
pants panty paraded parades pardons pare parishes parity parka parke parker parking parkland parkour parks parkway
parrish parry pars parse parsing parte parti partied parting parton parts paso passable passed passes passing passover
passport password pasta paste pasting pastry pasture pasty patched patches patching patchwork patchy pate pathos paths
pathways pats pattern patterns patting patty pauline pave pavement paving pawn pawns payback payer paying pays
peacefully peacekeeping peacetime peach peak peaking pear pearce pearly pears peas peasant peasants pease peat peck
pecking peddling peed peeking peel peeling peels peep peeping peering pegs pele pell pence pending penning pens pent
pepe perception perch perched perfected perfectly perky pero pershing persisted persona pertain pertains pervert pest
pets petting petty pews phasing phat pheasant philly phishing phoning photoshoot photoshop phrased pick picked picking
pictured pictures pierce pike pilar pile pill pillows pills piloting pimp pinch pinched pine pining pinning pint pinto
piped piper pipes pips piss pissed pissing pitched pitcher pitchers pitches pitching pits pitt pitting pitts placed
placement placer places placing plane planing planning plans planting plat plate plating playa playable playbook
played players playfully playground playhouse playin playmate playoff playtime plea plead pleaded pleading pleads
pleasantly pleases pleasing pleasure pledged plight plotting plowing ploy plucked plucking plugin plugs plum plumbing
plump plundered plunges plunging plush poached poaching pockets poet pointe pointing pointless points pointy poise
poke poker poles poli polished polishing polk poll polled polling polls polo poly pomp ponce ponder pondered pondering
pong pont pooch poodle poof pooh poole pooled pooling pools poolside poop pooped pooping pope poplar popper poppies
poppins porches pore pork porn porta portable porte porters portland porto ports pose posh post posting posture potter
potts pouch pound pounding pounds pouring pours pout poverty powder powdered powders powerfully powerhouse powerless
powerlifting powerpoint powers practical practiced practices practise practised praise praised praises praising prank
pratt prawn pray prayer praying prays preaching prefect preferable preferring prefers prentice prepped prepping pres
presentable presided presiding presse pressed presume presumed presuming pretext prevent preying priceless pricing
prickly priming pringle printable printing proactive proctor producing profiled profiling profited profiting
programmed programmer programmers programmes programs project projected projection projectors projects prom promised
promising promote proof proofing prop propane propel proposal proposed proposes propped propping props prosecutor
prosper prosperity protector protectors provide provider providers provides proving provoke provoked provoking provost
pruning prying psyched pubs puck pudding puffing pugh pugs pulley pulls pulp pulsed pulsing puma pumping pumps punch
punched puncture pune punished punishing puns punt pups pure purge purging purpose pushback pushing pushy puss putty
puzzled puzzles puzzling pyle quarrel quarterback quartered quarterly quartermaster quartet quest questionable quicken
quicker quickie quid quilt quilted quintet quito quits quivering quiz quot quote quoting race rack racked rackets
racking radiate radiated radiates radiation radiohead radius rafe raft rafting rage rags raid raided raiding raids
railed railing railings rails railway railways raina raindrops rainer rainey rainfall raining rains rainwater rainy
raiser raisin raisins rake raking rallies rally rallying rama raman rami ramming ramping ramps rams ranches rand rang
ranging rani rank ranked ranking rankings rant ranting rants rape rapes rapping rapport raps rare rarely rasa rash
rate ratio ratios rats raul ravages rave raving rawlings rays rbis reach reaching reacting readable readers readily
readings reads realising realm realtime realty realy reap reaping rearing rearrange reasonable reassure rebuilding
rebuked recalling receding reception reckons recluse recommended recommends recon records recounting recover
recovering recreate redd redding reddy reds reduced reduces reed reeds reeks reel reelection reeling reels refer
reflecting reflective reflector refraction refrigerated refrigeration refrigerators refuges refused refuses refusing
refuted regal regardless reggie regimes regrets regs regular regulars regulated regulates regulator reid reigning
reilly rein rejection rejections relating relaying released reloading relying remaking remand remembered remembers
remover renal renamed renaming rendered rendering rendition renter renters renting reopening replaceable replacement
replaying replies reputed requested requests requiem required requirement rescued rescues rescuing resection resetting
resided resides residing residues resolute resolutely restarted restarting resting restless reston restrain restrained
restraining restrooms rests resulted resulting results retained retarded rethinking retired retires retraining
returning returns reuters revising revives rewarding rewards rewatching reyes rhine rice richter rick ride ridge
ridiculous rift rifts rigging rightfully rights rigid rind ringside rink rioting ripe ripping rises rising risking
rite rites ritter road roads roam roaming roaring roasted robbers robbing robby rockers rocket rockets rockin rocking
rockland rockstar rockwell rodgers rodman rods rofl rogan rohan role rolf rollin rollins rollover rolls roma romain
romania romano romans romantics rome romo romp roms ronan roofing roofs rooftops rook roos roost rooster root rooting
roots roper rosters rosy rotating rotation roth rotten rotting roundabout roundhouse rounding rounds roundtable
roundup rouse rousing routers routing rove rover rovers rowan rower rowers rowling rubbing rubs ruck rugs ruin ruined
ruining ruins rump rune runes rung runnin runny ruse rushmore russ rust rustling saas sable sacking sacks sade sadly
safer safes safety sage sagging saharan sail sailing sakes sale salmon salons saloon salt salted salter salts salve
sams sana sand sands sane sang sank sansa sant sars sash sass sata sats saud savages saved saver saves saving savor
savour sawing saws saxon says scaling scaly scanning scans scar scarcity scarf scaring scarred scarring scars scarves
scathing scatter scattering schiller schoolchildren schoolgirl schoolhouse schooling schoolmaster schools
schoolteacher schoolwork schuster science sciences scold scolding scones scoop scooped scooping scoping scorched score
scoring scorn scots scouting scrapbook scraping scratching scream screaming screenplay screens scrolling seal sealing
searchable searched searching searing sears seas seaside seat seated seater seating seats seconded secondhand section
sectors sects securely securing sedation seduce seducing seed seeding seedling seeds seekers seeking seeks seeming
seen seep sees seething seine seizing selection selections selfies sellers selling semantic semen sending sends sens
sensing sent sentry seperate sept serenity serie serpent serves services serving seth setter setters settings settling
sevens seventeenth seventh seventies sever severing severity severn sexting shack shad shaded shading shadow shadowed
shadows shady shaft shah shaker shakers shakes shaking shale shalt shame shaming shan shandong shane shang shank
shanks shape shapes shaping sharepoint shares sharing shat shatter shattering shatters shave shaver shaves shaving
shaw shawl shay shea shear shearer shearing shedding sheds sheep sheet shell shelled shelter sheltering shelters shen
sheng shep sher shes shifted shifter shifting shifts shifty shih shilling shimmer shimmering shin shined shingle shiny
ship shipped shipping ships shire shirt shite shithead shithole shits shitting shivers shocked shocking shone shoo
shooter shooters shootings shoplifting shopped shopper shore shortage shorter shortfall shorthand shortlist shortstop
shot shots shou shoulda shout shouted shouting shouts shoved shovel shoveling shoving showcase showdown showed
showered showering showers showing shown showroom shows showtime showy shred shrieking shrine shrines shrinking
shudder shui shun shunned shunt shutdown shuttle shuttles siberian sibling sick sidekick sideshow sidewalk siding sift
sifting sigh sighing sight sighting sightings sights signing silencer silences sill sills silt silvery sind sine
singin singing singled singles sinkhole sinking sinner sins sinus sinuses sion sipping sire sisters site sites sith
sits sitter situation sixteenth sixth sixties sizable sizing skaters skating sketched sketching skid skill skilled
skills skim skin skipped skirting skis skit skylight slab slack slacking slade slag slam slant slanted slapped
slapping slaps slapstick slash slashing slater slave slavery slay slayer slaying sled sleek sleepless sleepover sleeps
sleet sleight slice slicing slick slid slider sliders slides slideshow slight slime slimmer slimming sling slinging
slip slipped slipper slit sliver sloping slots slotted slow slower slowing slug slush slut sluts smack smacking
smalling smarter smartphone smartphones smarts smartwatch smashing smearing smelling smelting smiling smite smoking
smoothing smother smug smuggling smut snacking snag snape snapped snapping snaps snare snatched snatching sneak
sneaked sneaker sneakers sneaking sneezes sneezing sniffing snip sniping snitch snooping snore snoring snort snorted
snorting snowfall snowing snub snuck snuff soap soar soared soaring sobbing sobering sockets softball soiled solar
sold solder soldering sole solidly solids solis solos solving soma somatic someones someplace somethin somethings
somewhat somewhere somme sonny sons sooners sooo soot sore soros sorting sought soulless soulmate sounding sour
southside sowing sown spacecraft spaced spaceflight spacer spaces spacetime spacex spacey spacing spade spades
spalding spaniard spanked spanking spanning spans spar spared spares sparing spark sparked sparking sparky sparring
sparse sparsely spate speaking speaks spear speck specter sped speeding spelling spencer spender spending spewing
spice spiking spill spilled spilling spindle spine spines spinning spiraling spire spit spite spits spitting splicing
spoiling sponges spool spoon spore sporting sports sportswear sporty spotless spotted spotter spotting spout spouting
sprang sprawling sprays spreading spring springer springing sprinkled sprinkles sprinter sprinters sprinting sprung
spurt squatters squatting squires squirting stab stabbed stabbing stables stack stacked stacking stacy staff staffed
staffing stag staging stain stained staining stains staircases stake staked staking stale stalk stalked stalking stall
stalled stalling stallion stamina stamped stamping stan stances standalone standards standings standoff standpoint
standup stanford stank stanton staple stardust stare stared stares starfish stargate staring stark starks starlight
starling starr starred starring starter starters startled startling startup starve starving stashed stated stating
stationed stations stats stave staying steak stealing steam steamed steamer steamers steep steeped steeper steered
steering stemmed stemming step stepdad stephen steppe steps sterling stern steven stevens sticks stiff stills
stillwater sting stinging stink stinking stinky stipend stir stirling stirred stirring stirs stitch stitched stitches
stitching stock stocked stocking stockings stoddard stoke stole stomp stomped stomping stoned stoner stones stonewall
stoney stoning stony stoop stoppage stopper stoppers stored storefront stores storey storeys storied stories storing
stork storm stormed storming storybook stow stowe straighten straightforward strain strange strap strapped strapping
strata stratton straw stray strayed streak streaming streams streep streets stress strides striking strings stripe
striped stripped stripping strips striving strobe strode stroked strokes stroking strolling stronghold strongholds
struck struggling strung strut struts stuart stud studded studied studios studs stuffing stuffs stumped stung stunning
stunted sturdy stutter styling suave subset subside suck suckers sucking sucrose suction sued suffocation suggested
suggests suitable suitcase suited suites summed summers summertime sumner sums sumter sung sunni sunroof suns sunsets
suny superb superbowl supercomputer supergirl superhuman supermarkets supernatural supernova superpower superstar
superstars supplying support supporting supt surat surf surface surfing surge surgeon surgery surging suri surname
suspect suspended suspends suspense sustain sustains sutter sven swans swap swapped swapping swarm swarmed swarming
swarms swat swatch swatches sway swaying swearing sweater sweaters sweats sweeping sweeten sweeter sweethearts sweetly
sweets swell swelling swept swift swimmer swine swing swinging swiping swirling swish swoon swore swung syed systemic
tabled tables tack tagging tail taka takeaway takedown taken takeoff takeover taker takers takes takin tale talked
talkin talking talks tallied tallies tallinn tally talon tama tame taming tana tang tangled tanks tanning tape tapered
tapering taping tapping tara targets tarnish tart tarts tasking tasks tasting tasty tatar tatars tate tattered
taunting taxa taxation taxing teaching teak teal teaming teammate teamwork tear tearing tears tease teasing teddy
teeming teen teething telephone telephones teleport tellers tellin telling tells tempe temperate template tempo tempt
tencent tend tended tendered tending tends tenn tenth terence teri term terminal terminals terminated terminates
terminator termite terraced terrain terrance terrence terrify tess test testers testing tethered textbook textbooks
texting texture textures thad thai thane thang thanked thankfully thanking thanksgiving thanos thaw thea theaters
theatres theirs theme theo ther therein thereon theres thereto theses theyre thick thickens thicker thier thigh thin
thine thinkin thinks thinning thirdly thirds thirteenth thirties thon thong thongs thoroughly thoughtfully thoughtless
threading threaten threes threesome threw thrifty thrilled thrived thriving throbbing throughput throwaway throwback
throws thrust thus tian ticked tickets ticking tickling tide tien tighten tightening tighter tightness tights tile
tilly tilting timed timeless times timetable ting tingle tingling tipping tire tireless tits toasted tock todays
toddlers toes toilets toll tolls tombs tombstone tome tommy toms tone tones tong tongues took tool toolbox tooling
tools toon toot topical topped topping toppings toppled tops torch torched tore torn torrance tort totaled totaling
totality totalled touchdown touchscreen touchstone touchy tough tour touring tours touting towards towed towels tower
towering towers townhouse towns townsend toying toys tracing tracked tracking trading trail trailing trained training
trains trait tramp tran trans trapped trapping trashing tread treading treasured treasurer treasures treasury treat
treated treating treehouse tremble trench trend trending trey trick tricked tricking tried trillion trimble trip
tripped tripping tris troll trolled trolling troop tropics troubled troubles troubleshooting troublesome trough truce
trucking trucks truer truest trunk truss trusting trusts trusty tryin tsar tuba tubes tuck tucking tues tuff tugging
tully tummy tuna tuned tuner tung tuning tunis turbine turd turf turin turing turk turkish turks turnaround turner
turnip turnout turnover turntable tusk twain twat tweaking tweaks tweet tweeting twine twink twinkling twirling
twisting twitch twitching tying tyne typical uhhh ukip ulterior unable unassuming unbeatable unbreakable uncovered
uncovering uncovers undercover undergoes undergoing undergone underground undermine underside understandable
understanding understudy undertake undertaking underwater underweight underwent unending ungrateful unhelpful unite
uniting unlocked unlocking unloved unnatural unpacking unpleasant unsure unto unwelcome unwilling upbringing upcoming
upfront uphold upholding upholds upkeep upland uplands uplift uplifting upright upsets upsetting upside upstanding
upstart upstream uptake uptick uptight uptime uptown urea urged urges urgh utilise utilize uttered utterly vacations
vail vain valence valley valuation valuing vamp vanishing vans variation varnish vary varying vase vast veal vectors
veer vending venerable vent venting ventral vera verb veritable vern vero versace vert vest vets vetting vice vick
victors vide videogame videogames videos vids vimeo vine violence visible vitally vive vlad vocally vocation voicing
vomit vomiting vouch vowel vying wacky waco wada wade wafer wafers wager wagging wail wailing waited waiter waiters
waitin waits waka wakes waking walker walkin walks walkthrough walkways walla walled walls wally walt walter walters
wand wander wandered wanderer wandering wands wane waned wang waning wank wanton ward warden wardens wards ware wares
warmest warn warned warner warning warnings warns warp warped warping warring wars wart warts wary wasnt wasted
wasting watchdog watched watercolor watercolour waterfall waterfront watergate waterhouse waterman watershed
watertight watertown waterworks watery watkins watt watts waver wavering waving ways weak weakened weakening weakens
weaning wear wearing wears weathered weathering weathers weave weavers weaves weaving webbing weddings weed weeding
weeds weep weeping weeps weighing weighted weighting weightlifting weighty weil welcomed welcomes weld welding
wellbeing wellcome wells welp welt wentz wept west wether wetter wetting weve whale whaling wham wheat wheeler
wheeling wheezing wherein whey whichever whig whim whine whines whining whiplash whipped whipping whips whit whitehall
whitehead whitehouse whiteside whitewash whitewater whiting whiz whoever wholesome whomever whooping whopping whore
wich wick wicker wicket wickets widen wider widescreen widgets widow width wielding wien wight wild wilde wilkins
willa willed willfully william willian willingly willow willpower wills willy wilton wily windfall winds windscreen
windy winery wines wing wink winked winking winn winner winning winnings wins wire wise wishlist witch witcher witches
withdraw withdrawing withdrawn withdraws withdrew withers withhold withholding withstand wits witt witted woes womb
women wonderfully wonderland wonders wong wont wood woodley woof wook wool wording wordplay wordpress wore workable
workbook workers workhouse workin workplace worksheet workshops workstation world worm worms worn worship wort worth
worthing woulda wouldn wound wounding wounds woven wracking wrapped wrapping wreath wrecking wren wrench wrenching
wright wring wrinkle writhing writing writings wrongfully wrought wyoming xiao yang yank yarn yarns yawn yearbook
yearly yearning years yeast yeats yell yelling yellows yellowstone yelp ying yonder yong yonkers yoon york yorkers
youd younger youngest youre yours yuck yummy yung zach zack zane zeal zeros zest zimmer zine zoned zoom zooming`.split(
    /\s+/,
  ),
)

/** Whether `word` is English, and so none that was misspelled. */
export const isEnglish = (word: string): boolean => words.has(word)
