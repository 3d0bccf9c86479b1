/** Light or dark: what the system says until somebody chooses, and then what they have chosen in this browser. */
import { signal } from '@preact/signals'

export type Theme = 'light' | 'dark'

const KEY = 'flow-service.theme'
const system = matchMedia('(prefers-color-scheme: dark)')
const chosen = localStorage.getItem(KEY)

export const theme = signal<Theme>(isTheme(chosen) ? chosen : ofSystem())
theme.subscribe((now) => (document.documentElement.dataset['theme'] = now))
system.addEventListener('change', () => {
  if (localStorage.getItem(KEY) === null) theme.value = ofSystem()
})

export function flipTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark'
  localStorage.setItem(KEY, theme.value)
}

function isTheme(word: string | null): word is Theme {
  return word === 'light' || word === 'dark'
}

function ofSystem(): Theme {
  return system.matches ? 'dark' : 'light'
}
