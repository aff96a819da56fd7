export type Directory = {
  id: string
  name: string
  /** The credential whose accounts its users sign in with. */
  credential_id: string | null
  match: 'external_id' | 'none'
  adopt: boolean
  /** A-labels in lower case. */
  email_domains: string[]
  on_delete: 'delete' | 'deactivate'
  /** Empty: none. */
  group_prefix: string
  enabled: boolean
  created_at: Date
}
