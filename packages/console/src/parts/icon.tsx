/** Icons: a path on a grid of 20 px each, in the colour of the text beside them, which says what they are. */
const paths = {
  home: 'M3.5 9 10 3.500 16.500 9v7h-4v-4.500h-5V16h-4z',
  runs: 'M4 15.500V9M8 15.500v-11M12 15.500v-7M16 15.500v-4',
  save: 'M10 4v8M6.500 9 10 12.500 13.500 9M4 16h12',
  moon: 'M15.500 12A6.200 6.200 0 0 1 8 4.500a6.200 6.200 0 1 0 7.500 7.500',
  out: 'M8 4H4.500v12H8M8 10h8M13 7l3 3-3 3',
  search: 'M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4M12.800 12.800 16.500 16.500',
  sun: 'M10 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6M10 2.500v2M10 15.500v2M2.500 10h2M15.500 10h2M4.700 4.700l1.400 1.400M13.900 13.900l1.400 1.400M15.300 4.700l-1.400 1.400M6.100 13.900l-1.400 1.400',
  warn: 'M10 4 3 16h14zM10 8.500v3.500M10 13.900v.2',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg class="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)
