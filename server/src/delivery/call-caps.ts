/** Calls under way at once, in this process. */
export type CallCaps = { perWebhook: number; perOrganization: number; inAll: number }

/** What receivers that are not quick may use of a cap together. */
export const halfOf = (cap: number) => Math.max(1, Math.floor(cap / 2))
