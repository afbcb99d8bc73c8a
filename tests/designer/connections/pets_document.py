"""OpenAPI document for tests, and its tools."""

from typing import Any

from designer.connections.openapi import read_openapi

PETS = """
openapi: 3.0.3
info: {title: Pet store, version: "1"}
servers:
  - url: https://{region}.pets.example/v1/
    variables: {region: {default: eu}}
security: [{key: []}]
paths:
  /pets/{petId}:
    parameters:
      - {name: petId, in: path, required: true, schema: {type: integer}, description: Which one}
    get:
      operationId: getPet
      summary: Find a pet.
      description: "Find a pet"
      security: []
      parameters:
        - {name: "filter[tag]", in: query, schema: {type: array, items: {type: string}}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: Accept, in: header, schema: {type: string}}
        - {$ref: "#/components/parameters/page"}
    put:
      operationId: updatePet
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Pet"}
  /pets:
    post:
      summary: Add pets
      requestBody:
        content:
          application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}
  /login:
    post:
      operationId: 1-log in!
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {user name: {type: string}}, required: [user name]}
  /upload:
    post:
      requestBody: {content: {multipart/form-data: {schema: {type: object}}}}
  /lost/{nothing}:
    delete: {operationId: getPet}
  /away:
    get: {parameters: [{$ref: "other.yaml#/x"}]}
  /gone:
    get: {parameters: [{$ref: "#/components/parameters/gone"}]}
components:
  parameters:
    page: {name: page, in: query, schema: {type: integer, minimum: 0, exclusiveMinimum: true}}
  schemas:
    Named: {type: object, required: [name], properties: {name: {type: string, maxLength: 50}}}
    Pet:
      description: A pet.
      allOf:
        - {$ref: "#/components/schemas/Named"}
        - type: object
          required: [id]
          properties:
            id: {type: integer, readOnly: true}
            tag: {type: string, nullable: true, x-ours: 1, example: dog}
            friends: {type: array, items: {$ref: "#/components/schemas/Pet"}}
"""


def tools(text: Any = PETS, **options: Any) -> dict[str, Any]:
    return {one.tool.name: one.tool for one in read_openapi(text, **options).operations}
