import type { VerificationKeyUse } from '@signet/management'

/** Whether a receiver finds the key of a JWT in the key set; `words` say it. */
type KeyVerdict = { isInSet: boolean; words: string; at?: string }

/** A key that has left the set is forgotten within minutes. */
export function judgeKey(kid: string, keys: readonly VerificationKeyUse[]): KeyVerdict {
  const key = keys.find((each) => each.kid === kid)
  if (!key) return { isInSet: false, words: 'Its key has left the key set: nobody can verify its signature any more.' }
  const { state, withdrawn_at } = key
  const at = withdrawn_at && { at: withdrawn_at }
  switch (state) {
    case 'signing':
      return { isInSet: true, words: 'Its key is in the key set, and signs now.' }
    case 'published':
      return { isInSet: true, words: 'Its key is in the key set; it does not sign yet.' }
    case 'retired':
      return { isInSet: true, words: 'Its key signs no more, and leaves the key set', ...at }
    default:
      return {
        isInSet: false,
        words: 'Its key was withdrawn: nobody can verify its signature any more. It left',
        ...at,
      }
  }
}
