import type { Queries } from '../../ground/database/database.ts'

/**
 * A group that a directory keeps: it alone changes the group and who is in it. `directory`: what that is called. `tied`: an admin key or
 * owner gave it a group that was there before; else it made the group.
 */
export type KeptGroup = { group: string; directory: string; tied: boolean }

/** Those of these groups that directories keep. Handed in: what knows of directories stands above. */
export type FindKept = (queries: Queries, organizationId: string, groups: string[]) => Promise<KeptGroup[]>
