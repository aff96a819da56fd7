import { createTurns, type Turns } from '../../ground/runtime/turns.ts'

/** Calls that wait for a slot in one process; more fail at once. */
const maxWaiting = 1_000

/**
 * Limits how many hooks are called at once. An organization gets a slot only while it has fewer than are left: however many
 * organizations have dead receivers, the next one finds a free slot (a thousand of them have one each).
 */
export const createSlots = ({ total, perOrganization }: { total: number; perOrganization: number }): Turns =>
  createTurns({
    total: () => total,
    perOrganization: (_, free) => Math.min(perOrganization, free),
    waiting: maxWaiting,
  })
