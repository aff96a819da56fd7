/** A webhook of an organization: what a lane belongs to. */
export type LaneKey = { organizationId: string; webhookId: string }

export const toLaneKey = (row: { org_id: string; webhook_id: string }): LaneKey => ({
  organizationId: row.org_id,
  webhookId: row.webhook_id,
})

/** For maps and sets, which know an object by its identity. Ids have one length, so no two lanes have one name. */
export const nameOfLane = ({ organizationId, webhookId }: LaneKey): string => organizationId + webhookId

/** `id`: of the webhook, or of its organization. */
export const isOf = ({ organizationId, webhookId }: LaneKey, id: string): boolean =>
  webhookId === id || organizationId === id
