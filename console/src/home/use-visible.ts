import { useSyncExternalStore } from 'react'

function subscribe(listener: () => void) {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** Whether the window is seen. */
export const useVisible = () => useSyncExternalStore(subscribe, () => document.visibilityState === 'visible')
