/**
 * Called with the id of a changed or removed webhook or organization, after the commit and before the reply. From then on
 * this process begins no request by its former state. Other processes stop when they are notified, or after six seconds.
 */
export type Revoke = (id: string) => Promise<void>
