/** Between the processes: that something was published. Only a hint: what it misses is found by the next look. */
import type { Database } from '../../ground/database/database.ts'
import type { Notifications } from '../../ground/database/notifications.ts'
import { createAnnouncer } from '../../ground/runtime/announcer.ts'
import { announcePublication, listListener, unlistListener } from './follower-store.ts'

/** Between two announcements of one process. */
const announceMs = 100

type Dependencies = {
  database: Database
  notifications: Notifications
  /** There is no other process. */
  isAlone: boolean
  onError: (error: unknown) => void
}

export type Announcements = ReturnType<typeof createAnnouncements>

export function createAnnouncements({ database, notifications, isAlone, onError }: Dependencies) {
  let isStopped = false
  const announceOnce = async () => isStopped || announcePublication(database.write)
  const announce = createAnnouncer(announceOnce, { intervalMs: announceMs, onError })
  return {
    announce: isAlone ? () => {} : announce,
    /** Nothing more is announced: the connections to the database are about to be closed. */
    stop: () => {
      isStopped = true
    },
    /** Calls `onAnnounced` at each announcement, until it is stopped. */
    listen(onAnnounced: () => void): { stop(): unknown } {
      if (isAlone) return { stop: () => {} }
      return notifications.listen({
        channels: { signet_published: onAnnounced },
        begin: async (session) => {
          await listListener(session)
          // What was published before this session listened was announced to none.
          onAnnounced()
        },
        leave: unlistListener,
      })
    },
  }
}
