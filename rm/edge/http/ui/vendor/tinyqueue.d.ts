export { default } from "tinyqueue";
