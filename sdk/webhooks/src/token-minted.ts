/** The content of the synchronous hook token_minted: what the token that is about to be minted will say. */
export type TokenMinted = {
  /** The application that the person signs in to: its `client_id`. */
  aud: string
  /** Who signs in: the `person_id`. */
  sub: string
  /** The issuer of the token, not of this webhook. */
  iss: string
  region: string
  /** Whether it is the first token that the person ever gets. */
  first_token: boolean
  /** How the person proved who it is. */
  authentications: Authentication[]
  /** The claim that the groups will be in. */
  groups_claim_name: 'groups'
  /** The names of the person's groups. */
  groups: string[]
  /** Of the person's browser. */
  request_metadata: { client_ip_address: string; user_agent: string; origin?: string }
  /** In a dry run, and only there: nobody signs in. */
  is_test?: true
}

export type Authentication = {
  /** Only if the method goes by one. */
  handle?: { type: 'EmailAddress' | 'PhoneNumber'; value: string }
  /** Such as `oidc`. */
  method: string
  /** RFC 3339. */
  timestamp: string
}
