/** Why something is off, such as `Only owners and admin keys see invitations.` */
export const onlyAdmins = (doIt: string) => `Only owners and admin keys ${doIt}.`
