import { focusManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

const subscribe = (listener: () => void) => focusManager.subscribe(listener)

/** Whether the window is seen, and somebody is there. */
export const useVisible = () => useSyncExternalStore(subscribe, () => focusManager.isFocused())
