/** Of each part of what happened to a person the page shows so many; a link leads to all. */
export const shownOfStory = 5
