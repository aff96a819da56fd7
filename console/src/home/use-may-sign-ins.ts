import { useMay } from '../session/session.ts'

/** Whether one may read the list of sign-ins, which names persons. */
export const useMaySignIns = () => [useMay('events:read'), useMay('persons:read')].every(Boolean)
