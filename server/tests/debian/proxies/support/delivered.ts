import { expect, vi } from 'vitest'
import { claimsOf } from '../../../support/jwt.ts'
import type { Receiver } from '../../../support/receiver.ts'
import { patience } from './patience.ts'

/** Waits until the creation of each of these persons has arrived at that path. */
export const expectDelivered = (receiver: Receiver, path: string, persons: string[]) =>
  vi.waitFor(() => {
    const delivered = new Set(receiver.received(path).map(({ body }) => claimsOf(body).trigger_content.person_id))
    expect(persons.filter((person) => !delivered.has(person))).toEqual([])
  }, patience)
