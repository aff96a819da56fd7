/**
 * Told the id of a webhook, or of an organization, after the commit that changed or removed it and before the answer: from
 * then on no call is begun by what held before.
 */
export type Recall = (id: string) => Promise<void>
