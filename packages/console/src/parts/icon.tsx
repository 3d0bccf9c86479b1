/** Icons: a path on a grid of 20 px each, in the colour of the text beside them, which says what they are. */
const paths = {
  add: 'M10 4.500v11M4.500 10h11',
  bell: 'M5 14h10l-1.300-2.200V9a3.700 3.700 0 0 0-7.400 0v2.800zM8.500 16.500h3',
  boards: 'M4 4h5v7H4zM11 4h5v4h-5zM11 10h5v6h-5zM4 13h5v3H4z',
  chip: 'M6 6h8v8H6zM8 3.500V6M12 3.500V6M8 14v2.500M12 14v2.500M3.500 8H6M3.500 12H6M14 8h2.500M14 12h2.500',
  bolt: 'M11 3 5 11.500h4L8.500 17l6.500-8.500h-4.500z',
  close: 'm5.500 5.500 9 9M14.500 5.500l-9 9',
  copy: 'M7.500 7.500h8v8h-8zM12.500 7.500v-3h-8v8h3',
  device: 'M6.500 3h7v14h-7zM9 14.500h2',
  flows: 'M3 5h4v4H3zM13 4h4v4h-4zM13 12h4v4h-4zM7 7h3v7h3M10 6h3',
  funnel: 'M4 5h12l-4.500 5.500V15l-3 1.500v-6z',
  gear: 'M10 7.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5M10 3v2.200M10 14.800V17M3 10h2.200M14.800 10H17M5.050 5.050l1.550 1.550M13.400 13.400l1.550 1.550M14.950 5.050 13.400 6.600M6.600 13.400l-1.550 1.550',
  tick: 'm4.500 10.500 3.500 3.500 7.500-8',
  home: 'M3.5 9 10 3.500 16.500 9v7h-4v-4.500h-5V16h-4z',
  runs: 'M4 15.500V9M8 15.500v-11M12 15.500v-7M16 15.500v-4',
  link: 'M8.500 11.500a3 3 0 0 0 4.500.3l2-2a3 3 0 0 0-4.300-4.300l-1 1M11.500 8.500a3 3 0 0 0-4.500-.3l-2 2a3 3 0 0 0 4.300 4.300l1-1',
  pause: 'M7 5v10M13 5v10',
  play: 'M6.500 4.500v11l9-5.500z',
  plug: 'M7 3v4M13 3v4M5 7h10v3a5 5 0 0 1-10 0zM10 15v2.500',
  save: 'M10 4v8M6.500 9 10 12.500 13.500 9M4 16h12',
  moon: 'M15.500 12A6.200 6.200 0 0 1 8 4.500a6.200 6.200 0 1 0 7.500 7.500',
  out: 'M8 4H4.500v12H8M8 10h8M13 7l3 3-3 3',
  redo: 'M12.500 5.500 15.500 8.500l-3 3M15.500 8.500H8a3.500 3.500 0 0 0 0 7h3',
  undo: 'M7.500 5.500 4.500 8.500l3 3M4.500 8.500H12a3.500 3.500 0 0 1 0 7H9',
  search: 'M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4M12.800 12.800 16.500 16.500',
  step: 'M5 4.500v11l7-5.500zM15 4.500v11',
  stop: 'M5.500 5.500h9v9h-9z',
  sun: 'M10 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6M10 2.500v2M10 15.500v2M2.500 10h2M15.500 10h2M4.700 4.700l1.400 1.400M13.900 13.900l1.400 1.400M15.300 4.700l-1.400 1.400M6.100 13.900l-1.400 1.400',
  warn: 'M10 4 3 16h14zM10 8.500v3.500M10 13.900v.2',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg class="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)
