/** Of every answer, whatever `Accept` says (RFC 7644, 8.1). */
export const scimMediaType = 'application/scim+json'
export const acceptedMediaTypes = [scimMediaType, 'application/json']
