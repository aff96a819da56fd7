import { shownName } from '../../ground/runtime/shown-name.ts'
import type { Choice } from './credential-store.ts'

/** A credential as whoever may sign in by it is told of it. Its label may have been stored before the rule for names was made. */
export const shownChoice = ({ client_id, label, provider }: Choice) => ({
  oauth_client_id: client_id,
  label: shownName(label),
  provider,
})
