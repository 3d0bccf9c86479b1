/** For a screen on a wall: the rail goes, the browser shows the page alone, and the screen stays on where the browser lets it. */
import { useEffect } from 'preact/hooks'

export function useKiosk(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const { documentElement: root } = document
    root.classList.add('is-kiosk')
    let lock: WakeLockSentinel | null = null
    let isOver = false
    // each is refused by some browsers, and where nobody has clicked: the page is as good without
    const ask = async (): Promise<void> => {
      if (document.hidden) return
      lock = (await navigator.wakeLock?.request('screen')) ?? null
      if (isOver) await lock?.release()
    }
    const wake = (): void => void ask().catch(() => undefined)
    wake()
    document.addEventListener('visibilitychange', wake)
    if (!document.fullscreenElement) root.requestFullscreen?.().catch(() => undefined)
    return () => {
      isOver = true
      document.removeEventListener('visibilitychange', wake)
      root.classList.remove('is-kiosk')
      void lock?.release()
      if (document.fullscreenElement) void document.exitFullscreen()
    }
  }, [isOn])
}
