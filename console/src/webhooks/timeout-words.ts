import { tokenMinted } from './trigger-kinds.ts'

/** As the interface writes it: 10 s for events, 2 s for a synchronous hook. */
export const defaultTimeout = '0s'

/** How long one attempt may take. The default depends on what the webhook is called for; without `triggers` that is not known. */
export function timeoutInWords(timeout: string, triggers: readonly string[] = []): string {
  if (timeout !== defaultTimeout) return timeout
  const hasHook = triggers.includes(tokenMinted)
  const hasEvents = triggers.some((name) => name !== tokenMinted)
  if (hasHook && !hasEvents) return '2 s (default)'
  return hasEvents && !hasHook ? '10 s (default)' : '10 s for events, 2 s for the synchronous hook (default)'
}
