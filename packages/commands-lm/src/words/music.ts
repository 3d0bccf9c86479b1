/**
 * Names of musicians, stations and shows that people ask for: each a wish for something certain.
 * @module
 */

/** Whom people want to hear. */
export const artistWords = `
    abba ; acdc ; ac dc ; adele ; aretha franklin? ; ariana grande ; arijit singh ; asha bhosle ; backstreet boys ;
    bach ; beethoven ; beyonce ; billie eilish|holiday ; billy joel|bragg ; bjork ; blondie ; bob marley|dylan ;
    bon jovi|iver ; bowie ; david bowie ; brahms ; britney spears? ; bruce springsteen ; springsteen ; bruno mars ;
    bts ; celine dion ; charlie parker|puth ; cher ; chopin ; christy moore ; cliff richard ; coldplay ; cold play ;
    coltrane ; john coltrane|lennon|legend|denver|williams ; daft punk ; dancing queen ; debussy ; deep purple ;
    depeche mode ; diana krall|ross ; dido ; dolly parton ; drake ; dua lipa ; duke ellington ; duran duran ; dvorak ;
    ed sheeran ; elgar ; ella fitzgerald ; elton john ; elvis presley? ; eminem ; enya ; eric clapton ; etta james ;
    fela kuti ; fleetwood mac ; foo fighters ; frank sinatra|ocean ; sinatra ; freddie mercury ;
    george michael|harrison|ezra ; gershwin ; glenn miller ; gorillaz ; green day ; guns n? and? roses ; handel ;
    hans zimmer ; harry styles ; haydn ; hendrix ; jimi hendrix ; hozier ; iron maiden ; jay z ; jethro tull ;
    joan baez ; johnny cash ; joni mitchell ; justin bieber|timberlake ; kanye west? ; kate bush ; kendrick lamar? ;
    kings of leon ; kishore kumar ; kylie minogue? ; lady gaga ; lana del rey ; lata mangeshkar ; led zeppelin ;
    leonard cohen ; lizzo ; louis armstrong ; luke kelly|combs ; lynyrd skynyrd ; madonna ; mahler ; mariah carey ;
    marvin gaye ; massive attack ; mendelssohn ; metallica ; michael jackson|buble ; miles davis ; miley cyrus ;
    motown ; mozart ; mumford and sons ; muse ; neil young|diamond ; nina simone ; nirvana ; norah jones ; oasis ;
    olivia rodrigo ; otis redding ; paul simon|mccartney|weller ; pavarotti ; pearl jam ; peppa pig ; peter gabriel ;
    pink floyd ; prokofiev ; puccini ; purcell ; rachmaninoff|rachmaninov ; radiohead ; rage against the machine ;
    ravel ; ravi shankar ; ray charles ; rem ; rihanna ; robbie williams ; rod stewart ; rolling stones ; roxy music ;
    roy orbison ; sam cooke|smith ; satie ; erik satie ; schubert ; schumann ; shakira ; shania twain ; shostakovich ;
    sibelius ; sigur ros ; simon and garfunkel ; smashing pumpkins ; snoop dogg? ; sonny rollins ; spice girls ;
    stan getz ; stevie wonder|nicks ; sting ; stormzy ; strauss ; stravinsky ; talking heads ; taylor swift ;
    tchaikovsky ; tears for fears ;
    the? beatles|stones|clash|cure|smiths|doors|eagles|kinks|who|killers|strokes|dubliners|pogues|cranberries|corrs|chieftains|police|supremes|weeknd|prodigy|verve|monkees|carpenters|bangles|wiggles|archers ;
    thin lizzy ; tina turner ; tom jones|waits|petty ; tracy chapman ; tupac ; u2 ; van morrison|halen ; verdi ;
    vivaldi ; wagner ; westlife ; whitney houston ; willie nelson ; xtc ; yo yo ma ; zz top ; bollywood ; bhangra ;
    ghazals|ghazal ; bluey ; paw patrol ; match of the day ; strictly ; eastenders ; coronation street ; corrie ;
    emmerdale ; the simpsons ; doctor who ; bake off
`

/** Sorts of music, and who sends them. */
export const sortWords = `
    hip hop|house ; drum and bass ; heavy metal ; death metal ; grunge ; punk ; indie ; ska ; gospel ; swing ;
    big band ; blue_grass|bluegrass ; r and b ; rnb ; rhythm and blues ; dubstep ; house music ; trance ; ambient ;
    new age ; ragtime ; dixieland ; flamenco ; fado ; tango ; samba ; afrobeat|afrobeats ; highlife ; qawwali ;
    carnatic ; sufi ; celtic ; irish trad|folk|music|tunes ; whale song ; white|pink|brown noise ;
    rain|ocean|wave|forest|nature|whale|bird|thunderstorm sounds|noises ; baroque ; chamber music ;
    string quartet|quartets ; sonata|sonatas ; concerto ; orchestra ; choir ; choral ; show tunes ;
    nursery rhymes|rhyme ; bedtime story|stories|music ; sea shanties ; shanties ; oldies ; golden oldies ;
    eighties|nineties|seventies|sixties|80s|90s|70s|60s music|tunes|hits|songs|pop|rock ; top forty|40 ; the charts ;
    greatest hits ; vinyl ; records ; single ; mixtape ; rte ; npr ; rte radio one|two ; lyric fm ; triple j ;
    smooth fm|radio ; heart fm|radio ; kiss fm ; magic fm|radio ; talk sport ; talksport ; absolute radio ; radio x ;
    world service ; the? bbc ; cnn ; sky news|sports ; the? archers ; desert island discs ; six music ; al jazeera ;
    itv ; bbc one|two|three|four|1|2|3|4|news ;
    a? western|thriller|comedy|sitcom|musical|rom_com|romcom|whodunnit|soap|soaps|quiz_show ; lo fi beats ;
    lofi beats ; beats ;
    sad|old|new|latest|classic|hindi|punjabi|tamil|telugu|bengali|irish|spanish|french|latin|african|country|love|disney songs|song|hits|tunes|numbers|tracks
`
