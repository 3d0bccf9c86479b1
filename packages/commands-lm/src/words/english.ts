/**
 * English words that are close to one of the vocabulary, and are meant as they are: nobody who says "lamb" means the lamp.
 * @module
 */
const words = new Set(
  `makeup setup incoming oncoming upcoming ongoing lighthouse playhouse warehouse homework housework playtime playoff
playoffs kickoff takeoff touchdown lockdown meltdown slowdown breakdown showdown lineup pickup upturn upstart watermelon
waterfall waterfront waterproof heatwave heatstroke lightweight doghouse clubhouse firehouse farmhouse madhouse powerhouse
aback abbot abbott abby abel abide ability abolish abound abt abusing accent acceptable accepting accepts accountable
accounting achilles acme acquire acquires acres actin actionable actions activation activities activity acton
actuality addis adds adjustable adjustment adjusts admitting adobe adored adores adorn ads advisable aero afford
aftermarket afterthought agility agreeable agreement ahhh ahmad aide aids airports airtight airtime airy ajay alain
alarming albright alder aldo alerting alight alike alla allen alleys alliance alliances alligators allowing allows
alloy ally almighty aloft alongside aloud als altar altered altering alters alto amazingly ames amin amiss amit among
amore amounting amps amusing andover ange angela angelo angels anger anglo anne annexed annually antarctic anterior
antibody ants apartments appreciates appreciating appreciation aquarius arched archived arden arena arenas ares aria
arias arise arises arising armed arming arms aromatic arranged arrangement arranges arrival arrive arrives arriving
ars arse arty arya asd assad assange assed assumed assumes assuring atc atop atta attaining auction audi audit aung
aust avery aviation aviator avoidable awaiting awarding awhile awry axle baba babu babysitting backbone backdoor
backdrop backers backfire backgrounds backing backlash backs backside backstage backstory backup backward backwards
badgers baek bagging baht bail bailed bailing bain baiting balding bale ball ballroom balls banding bane banging bangs
bank banking banning bans barb barbour bard bare barge baring bark barker barking barley barns baron baroness barr
barrage barrier bars bart base baseman basements bash bashing basing bask basking bass batch bathe bathing baths bats
batter battered battery batting bays bead beaded beads beal beaming bean bearable bearers bearing bearings bears beast
beat beater beatings beats beavers beck beckett bedding bedrock beech beef beep bees beet befitting beforehand began
beginnings begs begun behaving beheading beijing bein beit bell bellies belly belt bench bend bending bends bene benin
benn bent bering bern bert berth beset bess beth bets bette betterment betting bicycles bidders bidding bids bien
biggest biking billed billing billings billion billions bind binding bindings binds bing birth bitch bitches bitching
bite bites biting bitten bittersweet blacked blackface blackjack blacklist blackmail blackouts blackpool blacks
blackstone blackwater blackwell blaming bland blank blaring blasts blazing bleach bleep blend blended blender blending
blends bless blessing bleu blight blindly blindness bling blink blinked blinking blip blistering blisters bloated bloc
bloch blocked blocking blogging blond blondes blood blooded bloods bloom blot blower blowers blowing blown bluegrass
blueprint blunder blunders blur blurring blushing boarding boast boasted boasting boat boating bobby bobs bode
boggling bogus boilers bois boise boko bold bolder bolster bolt bomb bombers bombing bona bond bonding bonds boned
boner bones bong bonkers bonn bono bony boob booking bookings bookkeeping bookshop bookstore boom boomers booming
booms boon boone boop boos booster boosters boosts booted booth booting boots booty border bordered bordering bore
boring born borne borough boroughs bose bosh bothered bothers bots bottling bought boulders bounces bouncing bound
bounded bounds bout bowel bower bowers bowled bowler bowlers bowling bows boyd boyer boyz bracing bracket brackets
bragging brain braking bran branching brand branded branding brant bras brash brats brave breach breaching breadth
breaker breakers breakfasts breaking breathe breathing breathless breaths breathtaking bree breeder breeding breen
breeze breezes brewing bribing bridge bridging briefing brig brightest brightly brighton brill brilliance brilliantly
brimming brine brings brink brock brokers brom brooding brook broom broth brow browne browns brows bruising brunch
brushing buck bucket buckeyes budding budge budgets buds bugging buggy builders buildings bulging bulk bull bullets
bullies bullion bulls bullying bummer bumping bumpy bums bundled bunk bunkers bunny buns bunting burch burdens burgers
burkina burn burned burners burns burr bursting burt burying busch bush bust busting butch butt butter butterfly
butters buttery buys buzzing byers bytes cable caddy cade cafe cage cahill cain cake cakes calc calder calf cali calle
callers calls calming camel cameo camo camp camping camps cams candies candlelight cane canning cans cant canteen cape
capping captains caption captions captivated captivating caracas caravans card cards carefree careless carl carlson
carlton carly carmine carried carrying cars carton cartons cartoonist carve carving carvings cary casa cases casey
cash cashing cask cass cassius cast caste caster casting casually catalan catchment catchy cate cater catered catering
caters cath caused causes causing caution cautions caved caves cavs ceased ceasefire ceases ceilings cell cellars
cells celtics censure cent centers centrally centred centres centric centrist centro ceos cern chairperson chairwoman
chambers chan chances chandeliers chandler chang changer channing chanted chanting chao chapter charged chargers
charges charles charming charted charter charting chase chasing chat chatted chatter chatting cheaper cheaply cheat
cheated cheater cheaters cheating cheats chechen checked checker checking checklist checkmate checkpoint checkup
cheeks cheer cheered cheering cheery chen cheng cherished chester chick chickens childcare childish childless
childlike childs chile chili chilling chills ching chip chipped chipping choking chong choosing chopin chopped
chopping chops chose chow chris christchurch christian christians christy chung chunk churchyard churning cinemas
circles citation cite cites citing clad cladding claiming clamp clamping clamps clams clans clap clapped clapping
claps clare clash clashing clasp classed classmate classrooms classy claus claws clay cleaned cleaning cleanly
cleansed cleansing cleanup cleared clearer clearwater cleary cleft clegg cleverly clicked clicking clicks climber
cling clinging clip clipped clipper clipping clippings clive clocked clocks clockwork clog clogging clone cloned
clones cloning closer closest closets clot clothing clots cloud clove clover cloves clubbing clueless clung clutching
clutter cmos coaching coalition coals coast coaster coating coax cock code codes coding cody coed cognition coherence
coil coiled coils coin coke cola coldest coldplay colds cole coles coli coll collage collagen collar collars colleague
collect colleen colleges collide collins colo coloring colorless colt coma comb combing combs comeback comet comets
comey comin comm commanded commander commandment commando commandos commands commenced commencement commences commend
commended comment commented commenter comments commerce committing commons comms commune commute commuter commuters
como comp company compete competed competes compiler complete completed completes composer compute computed computers
comte concentrated concentrates concept concluding conditional conditioned conditions conduction cone cones coney
conferences confidence configured confluence cong consent constant contact contain contains contempt contend contends
contented contentment contents contest contests context contexts continent convene convent convergence converging
conversing convert converting conveying conveys conviction cookbook cooke cooked cookies cooks coolant coolers coolest
cooley coolidge coon cooper cope copped copy copying coral cord core cores cork cornerback corners cornerstone corning
cornish corp corridors cory cosby cost costing cote coughing coulda countdown countered countering counties countless
countryside coup coupe coupled couples coupling coursework courting cove coven covered covert cowards crackdown
cracked cracker cracking crackling cracks crafted crafting crafts crafty crammed cramp cramped cramping crane cranky
crashed crashing crass crate craters craved craven craves cravings crawled cray craze creams crease creating creature
cree creeper creeping crest cried crippling crisp crisps crock croft crook crooked crop cropped cropping cross
crossing crouching crowding crown crowning cruising crunching crushing crust cube cuddling cull cumming cunning cure
curling cursing cursory curt curtail curving cushing cute cuts cutters cuttings cycling cylinders dada dade dairy dale
damages damaging dame dames damning damon damp damping dams dancing dandy dane dang dangling dank dans dara dared
dares daring darkest dart data daunting dawned daytime daze dazzle deactivated deadlock deadly deadpool deaf dealers
dealing dean dearth deaths debating debtors decaying deceased december deception decides deciding decks decline deco
decoding decreased decreases decreasing decree decreed decrees deduce deed deeds deen deep deepened deepening deer
defection defended defending defined defines defining deflection defying delaying delegated deleting deli delightfully
delights dell demanding demands dent dentistry dentists denying department dependant dependent depicts depriving dept
depth derive derived derives deriving descending descent deserts desi desired desires desks dessert devine devious
devise devised dialing dice dick diddy died dielectric dieting digging dill dime dine diner ding dinners dior dipping
dire directed director directory directs directv dirk disabled discontinued discovery dish disk disneyland disparate
diss distant ditch ditched ditches ditching dive divides diving dock docking doctoral dodging doge doin doing dole
dollars dolls dolly dome domes dona dong donkeys donna donor donors dons dont doodle doom dope doping dork dorms dost
doth doubting dove dover dowd downfall downing downloadable downplay downright downs downside downstream downtime
downtown downturn dozens drab draft drafting drafts drag dragging drags drain drained draining drake dram drank draped
draper draught drawback drawings dread dreading dream dreaming dreamt dreamy dress dressed drew dries drift drifting
drill drilled drilling drinking drinks driven driver drone drool drooling droplets drought droughts drove drown
drowned drowning drums drunk dryness ducking ducks duct dull dumb dummy dump dumps dune dunes dung dungeons dunk
durable dustin dusting dusty dwell dwelling dwindling dyeing dyes eachother earl earle earn earning earns earring
earrings ease east easter eastern eater eaters eating eats ebook eclectic ecommerce eddy eden editing edwards eels
eighteenth eighth eighties electing election elections electra electrically electro electron electrons elise elite
elites elle ellis elsa elsewhere elsie emery emit emitting empowered empowering emulate enabled enables endings endo
endurance endure eng engaged engagement engages engel enhance enjoyable enjoying enjoyment enjoys enquire enroll
enrolling ensue ensuing ensured ensures enter entered entering entice entrances entrant entrants envoy episodes
episodic epistle epitome eras erase erasing erasure errol ers esquire etching ethan ether evacuation evading evan
events evergreen everton everyones everytime ewing exceeding exceptional exceptions excerpt exchanges exchanging
exciting excluded excludes executing execution exemption exertion exes exiting expecting expects expert explode
exploding exterminate extinguished extinguisher extra extreme extremes extremity eyed fable facebook faced faceless
facelift faces facet faction factors fade fail failing failings fainting fairchild faire fairies fairs fairway fake
fakes faking falcons fallon falls fame fanatic fancied fang fanning fanny fantasia fantastical farage farce fare farm
farmed farmer farming farms farrell farting fastball faster fasting fatally fate fateful fathered fatherland fauna
fave favorable favors favourable favours fawn faye faze fearing fearless fears fearsome feast feat feathers feats
feature features feds feedback feeding feeds feelin feelings fees feet fell fellows fencing fend fern fervent fest
fetching fever fiat fibre fiddling fide fielding fiend fife fifteenth fifth fifties fight fighter fighting fights
figures file files filing filings fill filled fillers filling fillings fills filming filmmaking finding findings
findlay finds fined fink finn finnish fins fired firepower fires firewall firework fireworks firm firms firsthand
firsts fisa fishing fishy fisk fist fitch fits fitter fives flack flag flak flaming flanders flanked flanking flap
flapping flare flashback flashing flashlight flashy flask flats flattering flavor flavour flaw flax fleas flee fleeing
fleeting fleming flesh flexing flicker flickering flickr flicks flights flinders flint flips flirting float floating
flock flocked flocks flooding floods flooring floors flop flopped floss flour flowed flowering floyd flung flushing
flutter flyer flying foaming foes foiled fold folder folders folding folds follies follow followers fond fondness fong
font fool fooled fooling foolish fools foot footballer footing footy foray forcing fore forge forged forgets forging
forgot fork form forming fort forte forth forts fought foul fouling found founded founder founders founding foundry
fours fourteenth fourth fracking frail framing franc frances francis frank frankel franken frat fraught freakin fred
freebies freed freehold freeing freeman freeport freer frees freighter frequent fresher fret frey frick frickin fried
frigate fright frighten fringe frog fronts frost frosted frosting frown froze frye frying fuckers fuckin fudge fuel
fueling fuels fullback fund funding fung furnaces furnishing futility futures gabe gable gadget gage gagging gail gain
gained gaining gale gall galley galloway gameplay gamer gamers gamestop gaping garde gardener gardeners gardner
garment garments garnish gases gated gateway gather gathered gathering gauge gave gaye gays gaze gear gearing gears
geeks geelong gels gems gendered gene gent gentry gents gestation gettin giant gift gifted gifting gifts giggle
giggled giggles giggling gill gillian gills gilt girlfriends girly giro giveaway giver gives gladiator gladiators
gladstone glam glamour glancing gland glaze glazing gleaming gleaned glide gliding glock glove glowing glue goal gods
goers goggles goings gold goldfish golds golfers golfing gomes gong goodbyes goode goodies goods goodwill goody
goodyear goof googled googling goon gore gorge gosling goss goth gould goulding gove governing gower gown grabs
graceful grad graders grading grads graft grail grain grained grams grandchild grandchildren granddaughter grande
grandfather grandkids grandmaster grandmother grandstand granted granting grants grape grapes gras grasp grasping
grassland grassy grate grating grave grazing greater greats greed greek greene greener greenland greenpeace greens
greer greet greeting gregg greta grieving grilled grilling grills grin grind grinding grinning grip gripped gripping
groin groom grooming groping gross grounds groundwater groundwork grouped grouping growers growing growling grown
grunt guarding guessed guidebook guiding gull gummy gump gums gunna gunning guns gushing gust guts gwent hack hacking
hades hahahaha hail hailing hails hain hairy halal hale hales halfback halftime halle halo halved hana handbook
handful handing handled handling handover hands handshake handsome handy hangers hangin hangover hank hanks hans
happiest happily harbour hard harden harder harding hardness hardy hare harm harmed harming harms harness hart hash
hast hastings hatch hatched hatching hated hateful hater haters hath hathaway hating hats haul hauling haunting haven
haves havin hawking hays haze headband header headers headings headless headlight headlights headline headmaster
headphone headphones headquarters heads headsets heady heal healed healer healers healing heals heap heaps heard
hearings hears heart hearted hearts heath heather heaton heave heck hedging heed heel heels hehe height heightened
heights heir heist held hella hellfire hells helm helpers helping helpless helps hemp henning hera herb herd herding
hereafter herein heres hero herr herring hers hess hester hide highland highlight highlighting highlights highs
highschool hiked hikes hill hills hilly hilt hind hindered hindering hines hinting hints hippies hippy hips hiss hitch
hitter hitters hive hoarding hobby hoes hoisted hola holder holders holdings holed holes holliday holloway holt holy
homecoming homeland homeless homer homes hometown homie homing homme homo hone honed honeywell hong honored honoring
honourable hood hoodies hoods hoof hook hooking hooks hoon hoop hoot hopeless hopped hopping hops horribly horrors
horse horus hoses hospice hospitable hospitals host hosting hough hound hounds hourglass housed householder households
housekeeping housemate houses housewife housewives housework housing hove hover hovered hovering howe howling huddled
hugging hugh hull hulls humankind hume humility humming hump hunch hundreds hung hungover huns hunt hunters hunting
hunts hurd hurl hurling hurst husky huts hydrated iain ideals ideas idiom idiots ight ignite ignorant ignored ignores
ills illuminati imaging imitate imitating impending imperfect impossibility impossible impossibly improperly inaction
incase incense inception include income incomes incoming inconvenient increased increases increasingly indefinitely
indifferent indirectly indo inducing infancy inference inferior info inhuman initial initials initiated initiates
initiative inland inmate inner inputs inquest inquire insanity insecurity insider insides installment instance instill
instinct insure intake intent inter interim interiors intern interns interpol intimate intl intra intro inwards
ironing irritate irritated irritating irritation issuing itch itching itunes jace jacket jackets jacking jacks jail
jain jake jameson jamestown jamming jang janitor jarring jars jays jeep jelly jerking jess jest jets jews jill jillian
jingle jive jock jockeys jogging johnstone join joining joint jones jong joon jose jour joys judge juggling jump jumps
june jung justin kang kant keating keats keel keen kelly kemp kent kern keyes khan kicked kickoff kicks kidd kidneys
kilda killer killers killings kiln kilo kilos kindest kindle kindred kinds king kink kipling kirk kiss kissed kissing
kitchener kite kites kits kittens klay kmart knack kneeling knight knocks knowing kong kool kraft kristen kung kurt
kush lace lacking lacks lacy ladder lager lagging lags laid lake lakers lakes lakh lama lame lana lander landfall
landings landlady landline landon landry lands landslide lane lang lansing lapd laps laptops lard larger lark lars
laser lasers lashing lasting lasts latch lateral latex latter lawful lawfully laws layer layered layering layers
laying lays leach lead leaders leading leaking leaning leanings leaping leapt lear learning lease leased leases leash
leasing lecture leds leeds lees leftist leftover lefty leggings lego leighton lena lenders lending lends leno lens
lent lest leto letter lettering letters leveling lever levin lewd libby liberia liberian lice lick licked licking lids
lies life lifeless lifes lighted lighten lightening lighter lighthouse lightness lightsaber lightweight likable
likeable liked likes liking lillian limb lime limiting limp limping linda line lines ling lingers lining linking lint
linus lire listed listens lister listing listings lists liter literary liters litre litres litter littered live lively
lives livid livingstone load loading loathing loaves lobe locally location loch lockdown locke lockers locking lockout
loco lodging lofty logging logs lone lonely loner longest longs longstanding longtime lookin loom looming looms loon
loop looping loops loose loosing loot looting lore loser losers loses losing loss lost loudspeaker lourdes louvre
lovecraft loved lovell lover lovers loves lovin loving lowe lube luck luke lull lump lumps lund lung lungs lure
lurking lush lust lyft lying lynch mace mach mack macy maddy made madly mage maia maid maidens mailing maine mainland
mainstay mainstream maintained maintains mais makeover maker makers makeshift makeup maki makin mako male males mali
malls malt mana manages mandy mane mani manly mann manning manny mano mans manu mapping marathons march marched
marches marching mare mares marge marin mark marked marker marketable marketplace markets marking marlins married
marrying mars marsh mart marty mary mash mask masking mass mast masterchef masterclass mastered mastering mastermind
masters mastery mata matched matching matchmaking matchup mated mateo mater mates math mather mating mats matt matte
mattered matured maturing maud maul mayne mays maze mcnally mead meaning meanwhile measurement meat meats mech
meddling medial median mediator mediators medic medina meds meet meetings mein mellow melton melvin mend mending mens
menus meps mere merging mesa mesh messed messi messing messy metering mets mice mich mick middletown middleweight
mighty mild mile milking milkshake mill milled millers milligan milling millions mills milne mime mina mince minding
mindless minds mindy minecraft mined miner mines ming mingle minh mini mining mink minn minster mint mints miranda
misc misled misses missing missy mist misused mitch mite mites mixture mixtures moaning moat mobs mock mocking
modeling mods moist molar mold molding molds mole momma momo mong mongering monies moniker monitored monitors monkey
monks mons monster mont moods moody moon moor moore moors moose moot mora morally mori morn mornin morse mort morty
moss moth motherfucking motherland motherwell motivate motivated motivates motivating motorbike motorsport mott mould
mound mounds mountain mounting mourning mouse moved movement mover movers moves movin muck mugs mulch mule mull
mullins munch murders musa muse mush mushroom musk muster mutation mutiny mutt mutually nagging nail nailing nameless
names namesake nancy nani nanjing nano napping naps nash nate nats naturally natured natures naughty nave neal nearing
nearly neat neck needless needy negroes nell nelly nene nerd nerds nero ness nest nesting nets netting neuer neutral
newer newsroom newsweek newt niche nick nico niece nifty niger nigeria nigh nighttime nike nile nina nineteenth
nineties ning nino nitrate nodding node none noodle noodles noor noose norse nosed noses notably notation note nothin
noticing noting novices nowhere nude nuggets null nunes nuns nursing nuts nyse oars oath obeying obligated oblige
observatory obsessed obsolete odor odors ofc offences offended offending offends officer officers offsets offshoot
offside ohhh oiled oily older olds olive olly oman omen oncoming ongoing onscreen onstage onus onwards opec opener
openings opposing oranges ordered ordering orders others otter ounce ours oust outed outer outfits outing outline
outlook outs outsider outsiders outwards outweigh ovation ovens overbearing overcame overcome overcomes overcoming
overdose overdrive overflowing overheard overkill overland overlay overload overlook overlooked overlooking overlooks
overlord overpass overpowered overpowering overrated overreacting overs overseas overseeing overstated overt overtake
overtaking overthrow overthrown overtime overtly overturn overturned overwatch overweight overworked owen owens oxen
oysters ozone pace pack packard packet packets packing pact padding paddling paddy pads pained painfully painless
painting pairing palace pale pall pandering pang pans pant panther panties panting pants panty parades pardons
parishes parity parker parking parkland parks parkway parrish parry parse parting parton parts paso passed passes
passing passover passport password pasta paste pastry pasture patched patches patching patchwork patchy paths pathways
pats pattern patterns patting patty pauline pave pavement paving pawn pawns payback payer paying pays peacefully
peacekeeping peacetime peach peak peaking pear pearce pears peas peasant peasants peat peck peddling peed peeking peel
peeling peep peeping peering pegs pell pence pending pens pent pepe perception perch perched perfected perfectly perky
pershing persisted persona pertains pervert pest pets petting petty phasing pheasant philly phishing photoshoot
photoshop pick picked picking pictured pictures pierce pike pile pill pillows pills piloting pimp pinch pinched pine
pinning pint pinto piped piper pipes pips piss pissed pissing pitched pitcher pitchers pitches pitching pits pitt
pitting pitts placed placement places placing plane planning plans planting plat plate plating playa playable playbook
played players playfully playground playhouse playin playoff playtime plea plead pleaded pleading pleads pleasantly
pleases pleasing pleasure pledged plight plotting ploy plucked plugin plugs plum plumbing plump plundered plunging
plush poached poaching pockets poet pointe pointing pointless points pointy poise poke poker poles polished polishing
polk poll polled polling polls polo poly pomp ponce ponder pondering pong pont pooch poodle poof pooh poole pooled
pooling pools poop pooping pope poplar popper poppies poppins pore pork porn porta portable porte porters portland
porto ports pose posh post posting posture potter potts pouch pound pounding pounds pouring pours poverty powder
powdered powders powerfully powerhouse powerless powerpoint powers practical practiced practices practise practised
praise praised praises praising prank pratt pray prayer praying prays preaching prefect preferable preferring prefers
prentice prepped prepping pres presided presiding pressed presume presumed pretext prevent priceless pricing prickly
priming pringle printable printing proactive proctor producing profiled profiling profited profiting programmed
programmer programmers programmes programs project projected projection projectors projects prom promised promising
promote proof prop propane propel proposal proposed proposes propped props prosecutor prosper prosperity protector
protectors provide provider providers provides proving provoke provoked provoking provost pruning psyched pubs puck
pudding pugh pulley pulls pulp puma pumping pumps punch punched puncture pune punished punishing puns punt pups pure
purge purging purpose pushing pushy puss putty puzzled puzzles puzzling quarrel quarterback quarterly quartermaster
quartet quest questionable quicker quid quilt quits quiz quot quote quoting race rack racked racking radiate radiation
radiohead radius raft rage rags raid raided raiding raids railing railings rails railway railways rainfall raining
rains rainwater rainy raiser raisin raisins rake raking rallies rally rallying rama raman rami ramping ramps rams
ranches rand rang ranging rani rank ranked ranking rankings rant ranting rants rape rapes rapping rapport raps rare
rarely rash rate ratio ratios rats raul rave raving rays rbis reach reaching reacting readable readers readily
readings reads realising realm realty reap reaping rearing rearrange reasonable reassure rebuilding recalling receding
reception recluse recommended recommends recon records recounting recover recovering recreate redding reddy reds
reduced reduces reed reeds reel reelection reeling reels refer reflecting reflective reflector refrigerated
refrigeration refrigerators refused refuses refusing refuted regal regardless reggie regimes regrets regular regulars
regulated regulates regulator reid reigning reilly rein rejection relating released relying remand remembered
remembers remover renal renamed renaming rendered rendering rendition renters renting reopening replaceable
replacement replies reputed requested requests requiem required requirement rescued rescues rescuing resided resides
residing residues resolute restarted restarting resting restless restrain restrained restraining restrooms rests
resulted resulting results retained retarded rethinking retired retires returning returns reuters revising rewarding
rewards reyes rhine rice richter rick ride ridge ridiculous rift rigging rightfully rights rigid rink rioting ripe
ripping rises rising risking rite rites ritter road roads roam roaming roaring roasted robbers robbing robby rockers
rocket rockets rockin rocking rockstar rockwell rodgers rodman rods rohan role rolf rollin rollins rolls roma romania
romano romans rome romo ronan roofing roofs rooftops rook roost rooster root rooting roots roper rosters rosy rotating
rotation roth rotten rotting roundabout rounding rounds roundtable roundup rouse rousing routers routing rover rovers
rowan rower rowling rubbing rubs rugs ruin ruined ruining ruins rump rune runes rung runnin runny ruse russ rust saas
sable sacking sacks sadly safer safety sage sagging saharan sail sailing sakes sale salmon salons saloon salt salted
salts sams sana sand sands sane sang sank sansa sant sars sash sass sata savages saved saver saves saving savor saws
saxon says scaling scanning scans scar scarcity scarf scaring scarred scarring scars scarves scathing scatter
scattering schiller schoolchildren schoolgirl schoolhouse schooling schools schoolteacher schuster science sciences
scoop scooped scorched score scoring scorn scots scouting scrapbook scraping scratching scream screaming screenplay
screens scrolling seal sealing searched searching searing sears seas seaside seat seated seater seating seats seconded
secondhand section sectors sects securely securing sedation seduce seed seeding seeds seekers seeking seeks seeming
seen sees seine seizing selection selections selfies sellers selling semantic semen sending sends sens sensing sent
sentry sept serenity serie serpent serves services serving seth setter settings settling sevens seventeenth seventh
seventies sever severity severn sexting shack shaded shading shadow shadows shady shaft shah shaker shakers shakes
shaking shale shalt shame shaming shan shane shang shank shanks shape shapes shaping shares sharing shatter shattering
shave shaving shaw shawl shay shea shear shearer shedding sheds sheep sheet shell shelled shelter sheltering shelters
shen shep sher shes shifted shifter shifting shifts shih shilling shimmer shimmering shin shingle shiny ship shipped
shipping ships shire shirt shite shithole shits shitting shivers shocked shocking shone shooter shooters shootings
shoplifting shopped shopper shore shortage shorter shortfall shorthand shortlist shortstop shot shots shoulda shout
shouted shouting shouts shoved shovel shoving showcase showdown showed showered showering showers showing shown
showroom shows showtime shred shrine shrines shrinking shudder shui shun shunned shutdown shuttle shuttles siberian
sibling sick sidekick sideshow sidewalk siding sift sigh sight sighting sightings sights signing sill silt silvery
sine singing singled singles sinking sinner sins sinus sion sipping sire sisters site sites sith sits sitter situation
sixteenth sixth sixties sizable sizing skaters skating sketched sketching skid skill skilled skills skim skin skipped
skis skit slab slack slade slag slam slant slapped slapping slaps slash slashing slater slave slavery slay slayer
slaying sled sleek sleepless sleepover sleeps slice slicing slick slid slider sliders slides slideshow slight slime
slimmer slimming sling slip slipped slipper slit sliver sloping slots slotted slow slower slowing slug slush slut
sluts smack smacking smarter smartphone smartphones smarts smartwatch smashing smelling smelting smiling smite smoking
smoothing smug smuggling snag snape snapped snapping snaps snare snatched snatching sneak sneaker sneakers sneaking
sneezing sniffing sniping snitch snooping snoring snort snorting snowfall snowing snub snuck snuff soap soar soared
soaring sobbing sobering sockets softball soiled solar sold solder soldering sole solidly solids solos solving soma
somatic someones someplace somethin somethings somewhat somewhere somme sonny sons sooo soot sore soros sorting sought
soulmate sounding sour southside sowing sown spacecraft spaced spaces spacex spacey spacing spade spades spalding
spaniard spanked spanking spanning spans spar spared spares sparing spark sparked sparking sparring sparse sparsely
speaking speaks spear speck specter sped speeding spelling spencer spending spewing spice spill spilled spilling
spindle spine spines spinning spire spit spite spits spitting spoiling sponges spoon spore sporting sports sportswear
sporty spotless spotted spotting spout spouting sprang sprawling sprays spreading spring springer springing sprinkled
sprinkles sprinter sprinting sprung squatting stab stabbed stabbing stables stack stacked stacking stacy staff staffed
staffing stag staging stain stained staining stains stake staked staking stale stalk stalked stalking stall stalled
stalling stallion stamina stamped stamping stan stances standalone standards standings standoff standpoint standup
stanford stanton staple stardust stare stared stares starfish stargate staring stark starlight starling starr starred
starring starter starters startled startling startup starve starving stashed stated stating stationed stations stats
stave staying steak stealing steam steamed steamer steep steeped steeper steered steering stemmed stemming step
stephen steps sterling stern steven stevens sticks stiff stills sting stinging stink stinking stinky stipend stir
stirling stirred stirring stirs stitch stitched stitches stitching stock stocked stocking stockings stoke stole stomp
stomped stomping stoned stoner stones stonewall stony stoop stoppage stopper stored stores storey storied stories
storing storm stormed storming stow stowe straighten straightforward strain strange strap strapped strapping strata
stratton straw stray strayed streak streaming streams streep streets stress strides striking strings stripe striped
stripped stripping strips striving strokes stroking strolling stronghold strongholds struck struggling strung strut
struts stuart stud studded studied studios studs stuffing stuffs stumped stung stunning stunted sturdy stutter styling
suave subset suck suckers sucking suction sued suggested suggests suitable suitcase suited suites summed summers
summertime sumner sums sung sunni suns sunsets suny superb superbowl supergirl superhuman supermarkets supernatural
supernova superpower superstar superstars supplying support supporting supt surf surface surfing surge surgeon surgery
surging surname suspect suspended suspense sustain sustains sutter sven swans swap swapped swapping swarm swarming
swarms swat sway swaying swearing sweater sweaters sweats sweeping sweeter sweetly sweets swell swelling swept swift
swimmer swine swing swinging swiping swirling swish swore swung syed systemic tabled tables tack tagging tail takeaway
takedown taken takeoff takeover taker takers takes takin tale talked talkin talking talks tally talon tame taming tang
tangled tanks tanning tape tapered tapering taping tapping tara targets tart tarts tasks tasting tasty tate taunting
taxa taxation taxing teaching teal teaming teammate teamwork tear tearing tears tease teasing teddy teeming teen
telephone telephones teleport tellin telling tells tempe temperate template tempo tempt tend tended tendered tending
tends tenn tenth terence teri term terminal terminals terminated terminates terminator terraced terrain terrence tess
test testers testing tethered textbook textbooks texting texture textures thad thai thanked thankfully thanking
thanksgiving thanos thaw thea theaters theatres theirs theme theo ther therein theres thereto theses theyre thick
thicker thier thigh thin thine thinkin thinks thinning thirdly thirds thirteenth thirties thong thoroughly
thoughtfully thoughtless threading threaten threes threesome threw thrilled thrived thriving throbbing throughput
throwback throws thrust thus tian ticked tickets ticking tickling tide tighten tightening tighter tightness tights
tile tilly tilting timed timeless times timetable ting tingling tipping tire tireless tits toasted todays toddlers
toes toilets toll tolls tombs tombstone tome tommy toms tone tones tong tongues took tool toolbox tooling tools toon
toot topical topped topping toppings toppled tops torch torched tore torn torrance tort totaled totaling totality
totalled touchdown touchscreen touchy tough tour touring tours towards towed towels tower towering towers townhouse
towns townsend toying toys tracing tracked tracking trading trail trailing trained training trains trait tramp tran
trans trapped trapping trashing tread treading treasured treasurer treasures treasury treat treated treating treehouse
tremble trench trend trending trey trick tricked tricking tried trillion trip tripped tripping tris troll trolling
troop tropics troubled troubles troubleshooting troublesome trough truce trucking trucks truer truest trunk truss
trusting trusts trusty tryin tsar tubes tuck tuff tully tummy tuna tuned tuner tung tuning tunis turbine turd turf
turin turing turk turkish turks turnaround turner turnout turnover turntable tusk twain twat tweaking tweaks tweet
tweeting twine twink twisting twitch twitching tying tyne typical uhhh ukip ulterior unable unbeatable unbreakable
uncovered uncovering undercover undergoes undergoing undergone underground undermine underside understandable
understanding undertake undertaking underwater underwent unending ungrateful unhelpful unite uniting unlocked
unlocking unnatural unpacking unpleasant unsure unto unwelcome unwilling upbringing upcoming upfront uphold upholding
upkeep upland uplift uplifting upright upsets upsetting upside upstream uptake uptown urged urges utilise utilize
uttered utterly vacations vail vain valence valley valuation valuing vanishing vans variation varnish vary varying
vase vast veal vectors veer vending venerable vent venting ventral vera verb veritable vern versace vert vest vets
vetting vice vick victors vide videogame videogames videos vids vimeo vine violence visible vitally vive vlad vocation
voicing vomit vomiting vouch vowel vying wacky waco wade wafer wager wail wailing waited waiter waiters waitin waits
wakes waking walker walkin walks walla walled walls wally walt walter walters wand wander wandered wanderer wandering
wang waning wank ward warden wardens wards ware wares warmest warn warned warner warning warnings warns warp warped
warring wars warts wary wasnt wasted wasting watchdog watched watercolor watercolour waterfall waterfront watergate
waterhouse waterman watershed watertown watery watkins watt watts waving ways weak weakened weakening weakens wear
wearing wears weathered weathering weave weavers weaves weaving weddings weed weeds weep weeping weighing weighted
weighting weightlifting weil welcomed welcomes weld welding wellbeing wells welp wentz wept west wetter wetting whale
whaling wheat wheeler wheeling wherein whey whichever whig whim whine whining whiplash whipped whipping whips whit
whitehall whitehead whitehouse whitewater whiting whiz whoever wholesome whomever whooping whopping whore wick wicker
wicket wickets widen wider widow width wielding wight wild wilde wilkins willed willfully william willingly willow
willpower wills willy wilton windfall winds windscreen windy winery wines wing wink winn winner winning winnings wins
wire wise wishlist witch witches withdraw withdrawing withdrawn withdraws withdrew withers withhold withholding
withstand wits witt woes womb women wonderfully wonderland wonders wong wont wood woodley woof wool wording wordpress
wore workable workers workin workplace worksheet workshops workstation world worm worms worn worship worth woulda
wound wounding wounds woven wrapped wrapping wreath wrecking wren wrench wrenching wright wrinkle writing writings
wrongfully wrought wyoming xiao yang yank yarn yarns yawn yearbook yearly yearning years yeast yeats yell yelling
yellows yellowstone yelp ying yonder yong yonkers yoon york yorkers younger youngest youre yours yuck yummy yung zach
zack zane zeal zeros zest zimmer zine zoned zoom zooming`.split(/\s+/),
)

/** Whether `word` is English, and so none that was misspelled. */
export const isEnglish = (word: string): boolean => words.has(word)
